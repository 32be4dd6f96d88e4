// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "trainings.h"

#include <algorithm>
#include <filesystem>

#include "bochner/checkpoint_place.h"
#include "bochner/hmm.h"
#include "bochner/kmeans.h"
#include "bochner/mixture.h"
#include "bochner/neighbors.h"
#include "bochner/open_checkpoint.h"
#include "bochner/retrieval.h"
#include "bochner/svd.h"
#include "fuzzing.h"
#include "scratch.h"

namespace bochner::fuzzing {

TrainOptions training(std::size_t which) {
  TrainOptions options;
  options.execution.threads = 1;
  options.execution.memory = std::size_t(1) << 28;
  options.features = 8;
  options.bandwidth = 1;
  const auto bins = [&](const char* map) {
    options.map = parse_map_options(map);
    options.kernel.family = Kernel::Family::laplacian;
  };
  switch (which % kTrainings) {
    case 0:
      bins("binning:steps=4");
      break;
    case 1:
      bins("binning:order=1-2,sweeps=2,pursuit=2");
      break;
    case 2:
      bins("binning");
      options.learner.learner = Learner::svm;
      break;
    case 3:
      bins("fourier+binning");
      break;
    case 4:
      options.ridge.solver = RidgeOptions::Solver::cg;
      break;
    case 5:
      options.learner.learner = Learner::logistic;
      break;
    case 6:
      options.ridge.lambdas = {1e-4};
      break;
    case 7:
      options.bandwidth = Bandwidth::Rule::searched;
      options.ridge.lambdas = {1e-4};
      break;
  }
  return options;
}

std::unique_ptr<Rows> small_rows(Task task) {
  struct Table {
    Matrix<float> x = Matrix<float>(96, 2);
    Matrix<double> y = Matrix<double>(96, 1);
    Table() {
      for (std::size_t i = 0; i < x.rows(); ++i) {
        x(i, 0) = float(i * 37 % 11) / 3;
        x(i, 1) = float(i * 53 % 17) / 5;
        y(i, 0) = double(int(x(i, 0) + x(i, 1)) % 2);
      }
    }
  };
  static const Table table;
  Schema schema;
  schema.inputs = 2;
  schema.targets = 1;
  schema.task = task;
  if (task == Task::classification) schema.labels = {"a", "b"};
  return memory_rows<float>(table.x.view(), table.y.view(), schema);
}

std::unique_ptr<Rows> small_sequences(bool classes) {
  static Matrix<float> x(96, 2);
  static Matrix<double> y(96, 1);
  for (std::size_t i = 0; i < 192; ++i) x.data()[i] = float(i * 37 % 11) / 3;
  for (std::size_t i = 0; i < 96; ++i) y(i, 0) = double(i / 8 % 2);
  Schema schema;
  schema.inputs = 2;
  schema.targets = classes ? 1 : 0;
  schema.task = classes ? Task::classification : Task::regression;
  if (classes) schema.labels = {"a", "b"};
  return memory_rows<float>(x.view(), classes ? y.view() : MatrixView<const double>{}, schema);
}

std::vector<std::size_t> sequence_begins() {
  std::vector<std::size_t> begins;
  for (std::size_t row = 0; row < 96; row += 8) begins.push_back(row);
  return begins;
}

namespace {

// As many rows as the automatic machine takes.
std::unique_ptr<Rows> automatic_rows() {
  static const Known known = [] {
    Schema schema;
    schema.inputs = 2;
    schema.targets = 1;
    return Known(schema, 200);
  }();
  return known.rows();
}

void run_method(std::size_t which, const Execution& execution) {
  FeatureOptions features;
  features.execution = execution;
  switch (which - kTrainings) {
    case 0:
      mixture(*small_rows(), {.components = 2, .rounds = 9, .features = features});
      break;
    case 1:
      hmm(*small_sequences(true), sequence_begins(),
          {.states = 2, .restarts = 1, .rounds = 9, .sequence = "id", .features = features});
      break;
    case 2:
      kmeans(*small_rows(), {.clusters = 3, .restarts = 1, .most_passes = 9, .features = features});
      break;
    default:
      svd(*small_rows(), {.rank = 1, .passes = 3, .execution = execution});
  }
}

}  // namespace

void run_checkpointed(std::size_t which, const CheckpointOptions& checkpoint, const std::function<bool()>& cancel) {
  TrainOptions options = training(which);
  const bool automatic = which + 1 == kCheckpointed;
  if (automatic) {
    options = {};
    options.automatic = Effort::fast;
    options.execution.threads = 1;
    options.execution.memory = std::size_t(1) << 28;
  }
  options.execution.cancel = cancel;
  if (which < kTrainings || automatic) {
    options.checkpoint = checkpoint;
    train(automatic ? *automatic_rows() : *small_rows(), options);
    return;
  }
  const std::shared_ptr<Checkpoint> opened = open_checkpoint(checkpoint);
  options.execution.checkpoint = opened.get();
  run_method(which, options.execution);
}

SavedCheckpoint stopped_checkpoint(std::size_t which) {
  constexpr long kToTheEnd = 1L << 40;
  const std::string path = scratch("stopped");
  const auto run = [&](long last) {
    for (const std::string& file : CheckpointPlace::files(path)) std::filesystem::remove(file);
    CheckpointOptions checkpoint;
    long asked = 0;
    checkpoint.path = path;
    checkpoint.first_seconds = last == kToTheEnd ? 1e9 : 0;
    checkpoint.share = 1e9;
    try {
      run_checkpointed(which, checkpoint, [&] { return ++asked > last; });
    } catch (const Stopped&) {
    }
    return asked;
  };
  // Late: by then there is most in the files.
  const long points = run(kToTheEnd);
  SavedCheckpoint saved;
  for (const long part : {9L, 8L, 6L, 4L, 2L}) {
    run(points * part / 10);
    saved.log = testing_files::read_bytes(path);
    saved.state = testing_files::read_bytes(path + ".state");
    if (!saved.log.empty() && !saved.state.empty()) break;
  }
  return saved;
}

const std::string& small_documents() {
  static const std::string path = [] {
    const std::string texts = scratch("documents.txt"), model = scratch("documents.text"), index = scratch("documents");
    testing_files::write_bytes(texts, "a storm at sea\nthe calm <sea>\nsnow on the hills & \"fields\"\n");
    const auto documents = open_documents({texts});
    const TextModel words = learn_text(*documents, {});
    words.save(model);
    save_with_documents(
        NeighborIndex(*words.rows(*documents, {.threads = 1}), {.metric = Metric::cosine, .execution = {.threads = 1}}),
        model, documents.get(), index);
    return index;
  }();
  return path;
}

Known::Known(const Schema& schema, std::size_t rows)
    : schema_(schema), x_(rows, schema.inputs), y_(rows, schema.targets) {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < schema.inputs; ++j) x_(i, j) = float((7 * i + 3 * j * j) % 11) / 3;
    for (std::size_t k = 0; k < schema.targets; ++k)
      y_(i, k) = schema.task == Task::classification ? double(i % std::max<std::size_t>(1, schema.labels.size()))
                                                     : double(x_(i, 0)) + double(i % 5);
  }
}

std::unique_ptr<Rows> Known::rows() const {
  return memory_rows<float>(x_.view(), schema_.targets > 0 ? y_.view() : MatrixView<const double>{}, schema_);
}

}  // namespace bochner::fuzzing
