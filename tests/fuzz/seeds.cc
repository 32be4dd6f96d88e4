// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// fuzz_seeds FOLDER: a folder for each target, with good files made from the data that ships.

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "bochner/anomaly.h"
#include "bochner/cca.h"
#include "bochner/embedding.h"
#include "bochner/hmm.h"
#include "bochner/kmeans.h"
#include "bochner/lda.h"
#include "bochner/mixture.h"
#include "bochner/neighbors.h"
#include "bochner/online.h"
#include "bochner/parts.h"
#include "bochner/pca.h"
#include "bochner/project.h"
#include "bochner/retrieval.h"
#include "bochner/svd.h"
#include "bochner/text.h"
#include "fuzzing.h"
#include "packed.h"
#include "scratch.h"
#include "trainings.h"

namespace bochner::fuzzing {
namespace {

namespace fs = std::filesystem;
using testing_files::gzip;
using testing_files::xz;
using testing_files::zstd;

std::string first_lines(const std::string& path, int count) {
  std::ifstream file(path);
  std::string text, line;
  for (; count > 0 && std::getline(file, line); --count) text += line + '\n';
  if (text.empty()) throw std::runtime_error("cannot read " + path);
  return text;
}

std::string npy(const char* type, const std::string& shape, const std::string& data) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type, shape);
  header.append(64 - (header.size() + 11) % 64, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + char(header.size() & 255) + char(header.size() >> 8) + header + data;
}

class Folder {
 public:
  Folder(const fs::path& folder) : folder_(folder) { fs::create_directories(folder); }
  void add(const std::string& bytes) { testing_files::write_bytes((folder_ / fmt::format("{:02}", count_++)), bytes); }
  void add_file(const std::string& path) { add(testing_files::read_bytes(path)); }

 private:
  fs::path folder_;
  int count_ = 0;
};

// As rows_fuzz.cc counts its formats.
void seed_rows(const fs::path& folder, const std::string& data) {
  Folder to(folder);
  const auto add = [&](int format, const char* options, const std::string& bytes) {
    to.add(char(format) + std::string(options, 2) + bytes);
  };
  const std::string numbers = first_lines(data + "/cpu-small.csv", 8),
                    words = first_lines(data + "/adult-small.csv", 8),
                    sparse = first_lines(data + "/adult-small.svm", 8);
  std::string cells(6 * 8, '\0');
  for (int i = 0; i < 6; ++i) {
    const double value = i * 1.5 - 2;
    std::memcpy(cells.data() + 8 * i, &value, 8);
  }
  const std::string table = npy("<f8", "(2, 3)", cells), bytes = npy("|u1", "(3, 2)", "abcdef");
  add(0, "\1\0", numbers);
  add(0, "\1\1", words);
  add(0, "\2\20", "a;\"b \"\"c\"\"\";y\n1;x;0.5\n?;NA;1e3\n-2;\"x\ny\";7\n");
  add(0, "\105\11", "1,2,3\r\n4,,6\r\n");
  add(1, "\0\0", sparse);
  add(1, "\0\1", "1 qid:3 1:0.5 7:2 # note\n-1 2:1e-3\n");
  add(1, "\0\141", "0.5 0:1 3:2\n");
  add(2, "\1\1", table);
  add(2, "\0\0", bytes);
  add(2, "\1\0", npy("<f4", "(4,)", cells.substr(0, 16)));
  add(3, "\1\1", gzip(words));
  add(4, "\1\1", gzip(table));
  add(5, "\0\1", xz(sparse));
  add(6, "\1\1", xz(table));
  add(7, "\1\1", zstd(numbers));
  add(8, "\1\1", zstd(bytes));
}

std::unique_ptr<Rows> text_rows(const std::string& text, const std::string& target) {
  const std::string path = scratch("seed.csv");
  testing_files::write_bytes(path, text);
  return open_rows(path, {.targets = {target}, .threads = 1});
}

// What learns without a target, or without a learner of `train`.
void seed_methods(Folder& to) {
  const std::string path = scratch("seed.model");
  const auto add = [&](const Model& model) {
    model.save(path);
    to.add_file(path);
  };
  FeatureOptions features;
  features.features = 8;
  features.execution.threads = 1;
  FeatureOptions mapped = features;
  mapped.map = Fourier{};
  mapped.bandwidth = 1;
  add(pca(*small_rows(), {.rank = 1, .features = mapped}));
  add(kmeans(*small_rows(), {.clusters = 3, .features = features}));
  add(lda(*small_rows(), {.features = features}));
  add(cca(*small_rows(Task::regression), {.features = features}));
  using Method = AnomalyOptions::Method;
  for (const Method method : {Method::embedding, Method::bins, Method::isolation, Method::mixture})
    add(anomaly(*small_rows(), {.method = method, .features = features, .components = 2}));
  for (const char* form : {"full", "diag", "spherical", "tied", "lowrank:1"})
    add(mixture(*small_rows(), {.components = 2, .covariance = parse_covariance_name(form), .features = features}));
  for (const bool classes : {false, true})
    add(hmm(*small_sequences(classes), sequence_begins(), {.states = 2, .sequence = "id", .features = features}));
  add(svd(*small_rows(), {.rank = 1, .passes = {}, .execution = {.threads = 1}}));
}

void seed_models(const fs::path& folder, const std::string& words) {
  Folder to(folder);
  const std::string path = scratch("seed.model");
  const auto add = [&](Rows& rows, const TrainOptions& options) {
    rows.rewind();
    train(rows, options).save(path);
    to.add_file(path);
  };
  for (std::size_t which = 0; which < kTrainings; ++which) add(*small_rows(), training(which));
  TrainOptions options = training(6);
  for (const char* map : {"fourier:form=shifted", "nystroem", "none", "binning:order=1-2", "fourier+nystroem"}) {
    options.map = parse_map_options(map);
    add(*small_rows(Task::regression), options);
  }
  options.ridge.deviation = true;
  options.map = parse_map_options("nystroem");
  add(*small_rows(Task::regression), options);
  options.ridge.deviation = false;
  options.map = Fourier{};
  for (const auto scale : {ColumnScaling::Method::quantile, ColumnScaling::Method::log}) {
    options.scale = scale;
    add(*text_rows(words, "income"), options);
  }
  seed_methods(to);
}

void seed_sums(const fs::path& folder, const std::string& words) {
  Folder to(folder);
  const std::string path = scratch("seed.sum"), table = "a,b,c\n1,2,x\n3,4,y\n2,2,x\n0,1,y\n";
  for (const auto& [text, target] : {std::pair(words, "income"), std::pair(table, "c"), std::pair(table, "b")}) {
    const auto rows = text_rows(text, target);
    const Sum survey = survey_part(*rows, {"seed", 7}, 1, {.threads = 1});
    survey.save(path);
    to.add_file(path);
    TrainOptions options = training(6);
    options.seed = 1;
    const std::string file = scratch("seed.csv");
    for (const char* map : {"fourier", "nystroem", "none"}) {
      options.map = parse_map_options(map);
      const auto again = open_rows(file, survey.schema(), {.threads = 1});
      sum_part(*again, survey, {"seed", 7}, options).save(path);
      to.add_file(path);
    }
  }
}

// Models with their sums, of numbers and classes, with and without marks of rows.
void seed_online(const fs::path& folder) {
  Folder to(folder);
  for (const Task task : {Task::regression, Task::classification})
    for (const char* map : {"fourier", "nystroem", "none"}) {
      const TrainOptions options{
          .bandwidth = 1.0, .map = parse_map_options(map), .features = 8, .execution = {.threads = 1}};
      OnlineModel model = train_online(*small_rows(task), options);
      to.add(model.bytes());
      model.set_words({"--features=8", "--map=none"});
      const auto rows = small_rows(task);
      KeptCells names{.columns = {"name"}};
      names.lines.assign(model.rows(), "name");
      keep_ids(model, *rows, "name", names, {.threads = 1});
      to.add(model.bytes());
    }
}

void seed_checkpoints(const fs::path& folder) {
  Folder to(folder);
  for (std::size_t which = 0; which < kCheckpointed; ++which) {
    const SavedCheckpoint saved = stopped_checkpoint(which);
    if (saved.log.empty()) throw std::runtime_error(fmt::format("training {} left no checkpoint", which));
    to.add(char(2 * which) + saved.log);
    if (!saved.state.empty()) to.add(char(2 * which + 1) + saved.state);
  }
}

// Both rounds, of few columns (their covariance) and of many (a sketch), dense and sparse.
void seed_factors(const fs::path& folder, const std::string& data) {
  Folder to(folder);
  const std::string path = scratch("seed.factor"), file = scratch("seed.svm");
  testing_files::write_bytes(file, first_lines(data + "/adult-small.svm", 8));
  const Execution execution{.threads = 1};
  Schema wide;
  wide.inputs = 300;
  const Known many(wide);
  const auto both = [&](const std::function<std::unique_ptr<Rows>()>& rows) {
    const FactorSum moments = moments_part(*rows(), {"seed", 7}, execution);
    moments.save(path);
    to.add_file(path);
    sketch_part(*rows(), moments, {"seed", 7}, {.rank = 1, .execution = execution}).save(path);
    to.add_file(path);
  };
  both([] { return small_rows(); });
  both([&] { return many.rows(); });
  both([&] { return open_rows(file, {.threads = 1, .inputs_only = true}); });
}

// Models that `eval`, `report` or `sample` have something to say of.
void seed_copies(const fs::path& from, const fs::path& to) {
  fs::create_directories(to);
  fs::copy(from, to, fs::copy_options::overwrite_existing | fs::copy_options::recursive);
}

void seed_requests(const fs::path& folder) {
  Folder to(folder);
  const std::string host = " HTTP/1.1\r\nHost: localhost:8080\r\n";
  for (const char* target : {"/", "/search?q=a+storm&k=3", "/?q=%3Csea%3E", "/?k=1&q=the", "/other", "/?q=%4"})
    to.add("GET " + std::string(target) + host + "\r\n");
  to.add("POST /" + host + "Content-Length: 0\r\n\r\n");
  to.add("GET / HTTP/1.1\r\nhost:\t127.0.0.1:8080 \r\nSec-Fetch-Site: cross-site\r\n\r\n");
  to.add("GET /\r\n\r\n");
}

void seed_embeddings(const fs::path& folder) {
  Folder to(folder);
  const std::string path = scratch("seed.embedding");
  for (const MapPtr& map : {fourier(2, {.features = 8}), chain({scaling({{}, {}}), fourier(2, {.features = 6})})}) {
    embed(*small_rows(), map, {.threads = 1}).save(path);
    to.add_file(path);
  }
}

void seed_texts(const fs::path& counts, const fs::path& models) {
  Folder to_counts(counts), to_models(models);
  const std::string texts = scratch("seed.txt"), path = scratch("seed.counts");
  testing_files::write_bytes(texts, "a storm at sea\nthe calm sea\nsnow on the hills\n");
  for (const std::size_t hashed : {0, 16})
    for (const std::size_t most : {1, 2}) {
      const auto documents = open_documents({texts});
      const TextCounts counted = count_text(*documents, {.most_words = most, .hashed = hashed}, {.threads = 1});
      counted.save(path);
      to_counts.add_file(path);
      const TextModel model(counted);
      model.save(path);
      to_models.add_file(path);
      model.with_map(project(model.columns(), {.dims = 3})).save(path);
      to_models.add_file(path);
    }
}

void seed_documents(Folder& to) {
  const std::string texts = scratch("seed.txt"), model = scratch("seed.text"), path = scratch("seed.index");
  testing_files::write_bytes(texts, "a storm at sea\nthe calm sea\nsnow on the hills\n");
  const auto documents = open_documents({texts});
  const TextModel words = learn_text(*documents, {});
  words.save(model);
  const NeighborIndex index(*words.rows(*documents, {.threads = 1}),
                            {.metric = Metric::cosine, .execution = {.threads = 1}});
  save_with_documents(index, model, documents.get(), path);
  to.add_file(path);
}

void seed_indexes(const fs::path& folder, const std::string& data) {
  Folder to(folder);
  const std::string path = scratch("seed.index");
  Matrix<float> x(1100, 2);  // as many as a forest takes
  for (std::size_t i = 0; i < 2200; ++i) x.data()[i] = float(i * i % 4703) / 8;
  Schema schema;
  schema.inputs = 2;
  using Method = IndexOptions::Method;
  for (const Method method : {Method::exact, Method::forest})
    for (const Metric metric : {Metric::euclidean, Metric::cosine}) {
      NeighborIndex(*memory_rows<float>(x.view(), {}, schema),
                    {.metric = metric, .method = method, .recall = 0.3, .k = 2, .execution = {.threads = 1}})
          .save(path);
      to.add_file(path);
    }
  for (const Metric metric : {Metric::euclidean, Metric::cosine, Metric::hamming}) {  // rows kept as bytes, as bits
    Matrix<float> few(40, 11);
    for (std::size_t i = 0; i < 440; ++i)
      few.data()[i] = float(metric == Metric::hamming ? i * i % 3 % 2 : i * i % 251);
    Schema wide;
    wide.inputs = 11;
    NeighborIndex(*memory_rows<float>(few.view(), {}, wide),
                  {.metric = metric, .bytes = metric != Metric::hamming, .execution = {.threads = 1}})
        .save(path);
    to.add_file(path);
  }
  const std::string file = scratch("seed.svm");
  testing_files::write_bytes(file, first_lines(data + "/adult-small.svm", 8));
  for (const auto& [metric, method] : {std::pair{Metric::euclidean, Method::exact},
                                       {Metric::jaccard, Method::lsh},
                                       {Metric::cosine, Method::lsh},
                                       {Metric::cosine, Method::project}}) {
    NeighborIndex(*open_rows(file, {.threads = 1, .inputs_only = true}),
                  {.metric = metric, .method = method, .recall = 0.5, .k = 2, .execution = {.threads = 1}})
        .save(path);
    to.add_file(path);
  }
  seed_documents(to);
}

void seed_specs(const fs::path& folder) {
  Folder to(folder);
  for (const char* spec : {"gaussian\nfourier\n1", "laplacian\nbinning:order=1-2,sweeps=2,pursuit=3\n0.5",
                           "matern:nu=2.5\nnystroem\nmedian", "rational-quadratic:alpha=2\nfourier:form=shifted\nscale",
                           "cauchy\nfourier+binning:weight=2\n1,2", "laplacian2\nnystroem:landmarks=leverage\nauto",
                           "laplacian:gamma=2\nbinning:steps=5\n3", "gaussian\nnone\n"})
    to.add(spec);
}

}  // namespace

void make_seeds(const fs::path& folder) {
  const std::string data = BOCHNER_TEST_DATA, words = first_lines(data + "/adult-small.csv", 25);
  seed_rows(folder / "rows", data);
  seed_models(folder / "model", words);
  seed_sums(folder / "sum", words);
  seed_online(folder / "online");
  seed_checkpoints(folder / "checkpoint");
  seed_specs(folder / "spec");
  seed_indexes(folder / "index", data);
  seed_factors(folder / "factor", data);
  seed_texts(folder / "counts", folder / "text");
  seed_embeddings(folder / "embedding");
  seed_requests(folder / "request");
  for (const char* target : {"eval", "report", "sample"}) seed_copies(folder / "model", folder / target);
}

}  // namespace bochner::fuzzing

// The mutator's partner in a program without a fuzzer.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t*, std::size_t size, std::size_t) { return size; }

int main(int count, char** words) {
  if (count != 2) {
    fmt::print(stderr, "usage: fuzz_seeds FOLDER\n");
    return 1;
  }
  try {
    bochner::fuzzing::make_seeds(words[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "fuzz_seeds: {}\n", error.what());
    return 1;
  }
}
