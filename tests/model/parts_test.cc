// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "bochner/error.h"
#include "model/sum.h"
#include "random/draw.h"

namespace bochner {
namespace {

namespace fs = std::filesystem;
const std::string kData = BOCHNER_TEST_DATA;

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string bytes_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

template <class Work>
std::string message_of(const Work& work) {
  try {
    work();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

class Parts : public ::testing::Test {
 protected:
  Parts() : folder_(fs::temp_directory_path() / ("bochner-parts-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~Parts() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }

  // The file's rows in parts of unequal sizes.
  std::vector<std::string> split(const std::string& file, std::size_t count) const {
    const std::vector<std::string> lines = lines_of(file);
    std::vector<std::string> parts;
    for (std::size_t p = 0; p < count; ++p) {
      const auto edge = [&](std::size_t e) { return 1 + (lines.size() - 1) * e * (e + 1) / (count * (count + 1)); };
      std::string text = lines[0] + "\n";
      for (std::size_t i = edge(p); i < edge(p + 1); ++i) text += lines[i] + "\n";
      parts.push_back(write("part" + std::to_string(p) + ".csv", text));
    }
    return parts;
  }

  Sum survey_file(const std::string& file, const RowsOptions& options) const {
    return survey_part(*open_rows(file, options), part_of_file(file));
  }

  Sum sum_file(const std::string& file, const Sum& spec, const TrainOptions& options = {}) const {
    return sum_part(*open_rows(file, spec.schema()), spec, part_of_file(file), options);
  }

  std::string merged_bytes(const std::vector<std::string>& files) const {
    Sum all = Sum::load(files[0]);
    for (std::size_t i = 1; i < files.size(); ++i) all.merge(Sum::load(files[i]));
    all.save(path("merged.sum"));
    return bytes_of_file(path("merged.sum"));
  }

  // Twenty orders, half of them by a tree of pairs instead of one after another.
  void expect_one_result(std::vector<std::string> files) const {
    const std::string expected = merged_bytes(files);
    std::mt19937 shuffle(7);
    for (int order = 0; order < 20; ++order) {
      std::shuffle(files.begin(), files.end(), shuffle);
      if (order % 2) {
        EXPECT_EQ(expected, merged_bytes(files)) << "order " << order;
        continue;
      }
      std::vector<Sum> sums;
      for (const std::string& file : files) sums.push_back(Sum::load(file));
      while (sums.size() > 1) {
        Sum last = std::move(sums.back());
        sums.pop_back();
        sums[shuffle() % sums.size()].merge(last);
      }
      sums[0].save(path("tree.sum"));
      EXPECT_EQ(expected, bytes_of_file(path("tree.sum"))) << "tree " << order;
    }
  }

 private:
  fs::path folder_;
};

TEST_F(Parts, MergeToTheSameBytesInAnyOrderAndTree) {
  const std::vector<std::string> files = split(kData + "/adult-small.csv", 7);
  std::vector<std::string> surveys, sums;
  for (const std::string& file : files) {
    survey_file(file, {.targets = {"income"}}).save(surveys.emplace_back(file + ".survey"));
  }
  expect_one_result(surveys);
  merged_bytes(surveys);
  const Sum spec = Sum::load(path("merged.sum"));
  for (const std::string& file : files)
    sum_file(file, spec, {.bandwidth = Bandwidth::Rule::median, .features = 64}).save(sums.emplace_back(file + ".sum"));
  expect_one_result(sums);
}

TEST_F(Parts, ReadRowsAsOneScanOverAllWould) {
  const std::string whole = kData + "/adult-small.csv";
  const std::vector<std::string> files = split(whole, 5);
  Sum all = survey_file(files[0], {.targets = {"income"}});
  for (std::size_t p = 1; p < files.size(); ++p) all.merge(survey_file(files[p], {.targets = {"income"}}));
  Schema expected = open_rows(whole, {.targets = {"income"}})->schema(), found = all.schema();
  for (std::size_t c = 0; c < expected.columns.size(); ++c) {
    // The mean of a sample of at most 20000 rows, here of all.
    EXPECT_NEAR(expected.columns[c].fill, found.columns[c].fill, 1e-2 * (1 + std::abs(expected.columns[c].fill)));
    expected.columns[c].fill = found.columns[c].fill = 0;
  }
  EXPECT_EQ(expected, found);
}

// Rows in memory, so that part edges are known.
struct Table {
  Matrix<float> x;
  Matrix<double> y;
  Schema schema;

  explicit Table(std::size_t rows) : x(rows, 3), y(rows, 1) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < 3; ++j) x(i, j) = float(normal(3, Draw::frequency, i, j));
      y(i, 0) = std::sin(double(x(i, 0))) + 0.1 * normal(4, Draw::frequency, i);
    }
    schema.inputs = 3;
    schema.targets = 1;
  }

  std::unique_ptr<Rows> rows(std::size_t begin, std::size_t count) const {
    return memory_rows<float>(x.view().slice(begin, count), y.view().slice(begin, count), schema);
  }
  Sum survey() const { return survey_part(*rows(0, x.rows()), {"all", 1}); }
  Sum sum(const std::vector<std::size_t>& edges, const Sum& spec) const {
    Sum all = sum_part(*rows(0, edges[1]), spec, {"first", 1}, {.bandwidth = 1, .features = 100});
    for (std::size_t p = 1; p + 1 < edges.size(); ++p)
      all.merge(
          sum_part(*rows(edges[p], edges[p + 1] - edges[p]), spec, {"next", p + 1}, {.bandwidth = 1, .features = 100}));
    return all;
  }
};

TEST_F(Parts, EqualOneRunToTheBitWhenTheyBeginAtChunkEdges) {
  const Table table(5000);
  const Sum spec = table.survey();
  EXPECT_EQ(*table.sum({0, 5000}, spec).state().gram, *table.sum({0, 1024, 3072, 4096, 5000}, spec).state().gram);
}

// Products of whole numbers do not know where a part ends; the moments are rounded by chunks.
TEST_F(Parts, EqualOneRunClosely) {
  const Table table(5000);
  const Sum spec = table.survey();
  const Sum one = table.sum({0, 5000}, spec), parts = table.sum({0, 77, 1500, 1501, 3333, 5000}, spec);
  Threads threads(1);
  const TiledSymmetric<double> a = one.state().gram->gram(threads), b = parts.state().gram->gram(threads);
  const Matrix<double> r = one.state().gram->moment(), s = parts.state().gram->moment();
  double scale = 0, difference = 0, moment_scale = 0, moment_difference = 0;
  for (std::size_t i = 0; i < a.values().size(); ++i) {
    scale = std::max(scale, std::abs(a.values()[i]));
    difference = std::max(difference, std::abs(a.values()[i] - b.values()[i]));
  }
  for (std::size_t j = 0; j < r.rows(); ++j) {
    moment_scale = std::max(moment_scale, std::abs(r(j, 0)));
    moment_difference = std::max(moment_difference, std::abs(r(j, 0) - s(j, 0)));
  }
  EXPECT_GT(scale, 0);
  EXPECT_EQ(difference, 0);
  EXPECT_LT(moment_difference, 1e-12 * moment_scale);
}

TEST_F(Parts, ForecastTheErrorByGeneralizedCrossValidation) {
  const Table table(400);
  const Sum sum = table.sum({0, 400}, table.survey());
  const double lambda = 1e-3, n = 400;
  const Model model = solve(sum, {lambda});
  const Matrix<double> fitted = model.predict(*table.rows(0, 400));
  double rss = 0;
  for (std::size_t i = 0; i < 400; ++i) rss += std::pow(fitted(i, 0) - table.y(i, 0), 2);
  // tr H by nudging each target: H_ii = d yhat_i / d y_i, here from the ridge formula on the features themselves.
  const MapPtr map = model.feature_map();
  const std::size_t D = map->outputs();
  Matrix<double> g(D, D), z(400, D);
  RowBlock<float> block;
  block.rows = 400;
  block.cols = block.stride = 3;
  block.values = table.x.data();
  Matrix<float> features(400, D);
  map->apply(reference_backend(), block, features.view());
  std::vector<double> mean(D);
  for (std::size_t i = 0; i < 400; ++i)
    for (std::size_t j = 0; j < D; ++j) mean[j] += double(features(i, j)) / n;
  for (std::size_t i = 0; i < 400; ++i)
    for (std::size_t j = 0; j < D; ++j) z(i, j) = double(features(i, j)) - mean[j];
  for (std::size_t i = 0; i < 400; ++i)
    for (std::size_t j = 0; j < D; ++j)
      for (std::size_t k = 0; k < D; ++k) g(j, k) += z(i, j) * z(i, k);
  // Gauss-Jordan inverse of G + lambda n I.
  Matrix<double> a = g, inverse(D, D);
  for (std::size_t j = 0; j < D; ++j) {
    a(j, j) += lambda * n;
    inverse(j, j) = 1;
  }
  for (std::size_t p = 0; p < D; ++p) {
    const double pivot = a(p, p);
    for (std::size_t k = 0; k < D; ++k) {
      a(p, k) /= pivot;
      inverse(p, k) /= pivot;
    }
    for (std::size_t i = 0; i < D; ++i) {
      if (i == p) continue;
      const double factor = a(i, p);
      for (std::size_t k = 0; k < D; ++k) {
        a(i, k) -= factor * a(p, k);
        inverse(i, k) -= factor * inverse(p, k);
      }
    }
  }
  double trace = 1;
  for (std::size_t j = 0; j < D; ++j)
    for (std::size_t k = 0; k < D; ++k) trace += g(j, k) * inverse(k, j);
  const double gcv = n * rss / ((n - trace) * (n - trace));
  EXPECT_NEAR(*model.report().score->rmse, std::sqrt(gcv), 1e-5 * std::sqrt(gcv));
}

TEST_F(Parts, ChooseAModelAsGoodAsTrainingOnAllRows) {
  const std::string whole = kData + "/cpu-small.csv";
  const std::vector<std::string> files = split(whole, 4);
  Sum spec = survey_file(files[0], {.targets = {"usr"}});
  for (std::size_t p = 1; p < files.size(); ++p) spec.merge(survey_file(files[p], {.targets = {"usr"}}));
  Sum sum = sum_file(files[0], spec, {.features = 256});
  for (std::size_t p = 1; p < files.size(); ++p) sum.merge(sum_file(files[p], spec, {.features = 256}));
  const Model model = solve(sum);
  EXPECT_GT(model.report().path.size(), 3u);
  const auto rows = open_rows(whole, {.targets = {"usr"}});
  const Model joined = train(*rows, {.features = 256});
  // Leave-one-out and GCV estimate the same thing.
  EXPECT_NEAR(*model.report().score->rmse, *joined.report().score->rmse, 0.25 * *joined.report().score->rmse);
}

TEST_F(Parts, TakeTheMapOfAModelAsSpec) {
  const std::string whole = kData + "/cpu-small.csv";
  const auto rows = open_rows(whole, {.targets = {"usr"}});
  const RidgeOptions ridge{.lambdas = {1e-3}, .solver = RidgeOptions::Solver::cholesky};
  const Model sample = train(*rows, {.features = 128, .ridge = ridge});
  const Sum sum = sum_part(*open_rows(whole, sample.schema()), sample, part_of_file(whole));
  const Model model = solve(sum, ridge.lambdas);
  EXPECT_EQ(model.report().map, sample.report().map);
  // The same rows through the same map into the same equations, but for the unit in which targets are rounded:
  // 2^-33 of their size over lambda, below the rounding of float features.
  rows->rewind();
  const Matrix<double> expected = sample.predict(*rows);
  rows->rewind();
  const Matrix<double> found = model.predict(*rows);
  for (std::size_t i = 0; i < expected.rows(); ++i)
    ASSERT_NEAR(found(i, 0), expected(i, 0), 1e-5 * 18) << i;  // the deviation of usr
}

TEST_F(Parts, KeepClassesAndLevelsThatOnlyOnePartHas) {
  const std::string a = write("a.csv", "job,y\nclerk,no\nclerk,no\nsmith,no\n");
  const std::string b = write("b.csv", "job,y\nbaker,yes\nclerk,yes\n");
  Sum all = survey_file(b, {.targets = {"y"}});
  all.merge(survey_file(a, {.targets = {"y"}}));
  EXPECT_EQ(all.schema().labels, (std::vector<std::string>{"no", "yes"}));
  EXPECT_EQ(all.schema().columns[0].levels, (std::vector<std::string>{"baker", "clerk", "smith"}));
  EXPECT_EQ(all.state().survey->class_rows(), (std::vector<std::uint64_t>{3, 2}));
  EXPECT_EQ(all.state().survey->columns()[1].nonzero, 3u);
  EXPECT_EQ(all.state().survey->columns()[0].min, 0);
}

TEST_F(Parts, RefuseWhatDoesNotFitTogetherAndSayWhy) {
  const std::string numbers = write("numbers.csv", "zip,y\n1,0.5\n2,1.5\n3,7.25\n");
  const std::string texts = write("texts.csv", "zip,y\nA1,0.5\nB2,1.5\nC3,2.25\n");
  Sum sum = survey_file(numbers, {.targets = {"y"}});
  const std::string mixed = message_of([&] { sum.merge(survey_file(texts, {.targets = {"y"}})); });
  for (const char* word : {"numbers.csv", "texts.csv", "zip", "categories"}) EXPECT_NE(mixed.find(word), mixed.npos);

  const std::string twice = message_of([&] { sum.merge(survey_file(numbers, {.targets = {"y"}})); });
  EXPECT_NE(twice.find("count twice"), twice.npos) << twice;

  const std::string early = message_of([&] { solve(sum); });
  EXPECT_NE(early.find("spec = numbers.csv"), early.npos) << early;

  const std::string more = write("more.csv", "zip,y\n4,0.5\n5,1.5\n6,2.25\n");
  sum.merge(survey_file(more, {.targets = {"y"}}));
  Sum one = sum_file(numbers, sum, {.bandwidth = 1, .features = 8});
  const std::string spec =
      message_of([&] { one.merge(sum_file(more, sum, {.bandwidth = 2, .features = 8, .seed = 5})); });
  EXPECT_NE(spec.find("length_scale"), spec.npos) << spec;
  EXPECT_NE(spec.find("seed"), spec.npos) << spec;
  EXPECT_EQ(message_of([&] { one.merge(sum_file(more, sum, {.bandwidth = 1, .features = 8})); }), "");

  const std::string kinds = message_of([&] { one.merge(sum); });
  EXPECT_NE(kinds.find("first round"), kinds.npos) << kinds;

  const std::string wide = write("wide.csv", "zip,y\n4,1000\n5,2000\n");
  const std::string far = message_of([&] { sum_file(wide, sum, {.bandwidth = 1, .features = 8}); });
  EXPECT_NE(far.find("survey this part too"), far.npos) << far;
}

TEST_F(Parts, RefuseDamagedFiles) {
  const Table table(300);
  const Sum spec = table.survey();
  spec.save(path("a.survey"));
  table.sum({0, 300}, spec).save(path("a.sum"));
  for (const char* name : {"a.survey", "a.sum"}) {
    const std::string whole = bytes_of_file(path(name));
    EXPECT_NO_THROW(Sum::load(path(name)));
    for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 97) {
      std::string cut = whole.substr(0, at);
      write("cut", cut);
      EXPECT_THROW(Sum::load(path("cut")), Error) << name << " cut at " << at;
      std::string flipped = whole;
      flipped[at] = char(flipped[at] ^ 0x41);
      write("flipped", flipped);
      EXPECT_THROW(Sum::load(path("flipped")), Error) << name << " altered at " << at;
    }
  }
}

}  // namespace
}  // namespace bochner
