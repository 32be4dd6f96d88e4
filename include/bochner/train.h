// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto rows = open_rows("cars.csv", {.targets = {"price"}});
//   TrainOptions options;
//   options.kernel = matern(1.5);
//   options.features = 2000;
//   options.say = [](const std::string& line) { std::puts(line.c_str()); };  // what it chooses
//   train(*rows, options).save("cars.model");

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bochner/checkpoint.h"
#include "bochner/execution.h"
#include "bochner/kernel.h"
#include "bochner/learner.h"
#include "bochner/map.h"
#include "bochner/map_options.h"
#include "bochner/model.h"
#include "bochner/ridge.h"
#include "bochner/rows.h"

namespace bochner {

// How far the automatic machine goes.
enum class Effort { fast, normal, best };

// What the automatic machine chooses its blend by.
struct Optimize {
  // chosen: squared error, and for classes log-loss where it lowers the error, too. quantile: the pinball loss of the
  // level, which of 0.5 is the absolute error.
  enum class Score { chosen, error, log_loss, rmse, quantile };

  Score score = Score::chosen;
  double level = 0.5;

  bool suits(Task task) const;
  bool operator==(const Optimize&) const = default;
};
// "error", "log-loss", "auc" (by log-loss), "rmse", "mae", "quantile:0.9"; std::invalid_argument for another word.
Optimize parse_optimize(const std::string& words);

// Everything train() may be told. What is left out is chosen, and the choice is said and recorded.
struct TrainOptions {
  // The automatic machine: a race of kernels in a learnt metric, random bins and a linear model, blended. What is said
  // of map, kernel, features and learner below then counts only where the rows do not suit it.
  std::optional<Effort> automatic = {};
  // Seconds that the automatic machine may take, by a forecast of its work with these threads on a core of 2021: it
  // then goes less far than its effort where it must. 0: as far as the effort.
  double budget = 0;
  Optimize optimize = {};  // what the automatic machine is best by
  Kernel kernel = {};      // its length scales are replaced by the bandwidth
  Bandwidth bandwidth = {};
  MapOptions map = {};                              // Fourier features
  std::size_t features = 0;                         // outputs of the map, grids or landmarks; 0: by the number of rows
  std::optional<ColumnScaling::Method> scale = {};  // none: by column
  std::vector<std::pair<std::string, ColumnScaling::Method>> scale_inputs = {};  // these inputs, by name, differently
  RidgeOptions ridge = {};
  LearnerOptions learner = {};                                     // another learner than ridge, and its options
  std::vector<std::pair<std::string, double>> class_weights = {};  // label, weight
  bool balanced = false;          // classes weigh the same, however many rows they have
  bool double_precision = false;  // features in double
  // Train once more on 85 % of the rows, and learn on the others how sure to be: Model::calibration(), intervals().
  // The automatic machine does so from the rows that it holds out anyway.
  bool calibrate = false;
  // Up to Background::kMostRows of the rows stay in the model, as it reads them, for explain() without a background.
  bool keep_background = false;
  // The group of each row (see bochner/split.h); empty: none. Rows of a group are never held out in part: the automatic
  // machine holds out whole groups, and any other is scored by one more training that does not see some of them.
  std::vector<std::uint64_t> groups = {};
  // The time of each row (see bochner/split.h); empty: none. The automatic machine is then judged by rows that are
  // later than those it learnt from, and any other is scored by one more training on the earlier rows. Not beside
  // groups.
  std::vector<double> times = {};
  std::uint64_t seed = 0;
  Rows* validation = nullptr;  // chooses lambda and gives the score
  std::string validation_name = "validation rows";
  Execution execution = {};
  CheckpointOptions checkpoint = {};
  // Each choice, as it is made, on the calling thread; and by itself what a user should hear even if nothing else is
  // said: odd columns, rows that go another way than asked, warnings. Without `notice`, `say` hears these too.
  std::function<void(const std::string&)> say = {}, notice = {};
};

// What is wrong with the options whatever the rows are, before anyone reads them: std::invalid_argument.
// inputs: 0 while they are not known.
void check_options(const TrainOptions& options, std::size_t inputs = 0);

// Trains a model as the plain command `bochner train` does, by the automatic machine. Trainings may run at the same
// time in several threads, each on rows of its own.
Model train(Rows& rows);
// As the options say: survey, scale, bandwidth, features, learner; by the automatic machine only if they name it.
Model train(Rows& rows, const TrainOptions& options);

// Why a training of these options on several ranks (Execution::ranks) is no sequence of sums over their rows. The rows
// then meet on every rank, in memory: all of them up to 256 MiB, otherwise a share of them that is drawn. Empty: it is
// one.
std::string gathered_because(const TrainOptions& options);

// A ridge head on the features of a map the caller made. Rows go into the map as they are.
Model fit(Rows& rows, MapPtr map, const RidgeOptions& ridge = {}, const Execution& execution = {});
// As fit, with another learner than ridge.
Model fit_learner(Rows& rows, MapPtr map, const LearnerOptions& learner, const Execution& execution = {});

}  // namespace bochner
