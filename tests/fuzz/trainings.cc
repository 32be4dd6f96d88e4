// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "trainings.h"

#include <filesystem>

#include "bochner/checkpoint_place.h"
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

SavedCheckpoint stopped_checkpoint(std::size_t which) {
  constexpr long kToTheEnd = 1L << 40;
  const std::string path = scratch("stopped");
  const auto run = [&](long last) {
    for (const std::string& file : CheckpointPlace::files(path)) std::filesystem::remove(file);
    TrainOptions options = training(which);
    long asked = 0;
    options.checkpoint.path = path;
    options.checkpoint.first_seconds = last == kToTheEnd ? 1e9 : 0;
    options.checkpoint.share = 1e9;
    options.execution.cancel = [&] { return ++asked > last; };
    const auto rows = small_rows();
    try {
      train(*rows, options);
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

}  // namespace bochner::fuzzing
