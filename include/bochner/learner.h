// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto rows = open_rows("people.csv", {.targets = {"income"}});
//   const Model model = train(*rows, {.learner = {.learner = Learner::logistic, .C = {0.1, 1, 10}}});

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bochner/kernel.h"
#include "bochner/schema.h"

namespace bochner {

// The library's own; register_learner() gives further ones.
enum class Learner : int { ridge, svm, hard_svm, logistic, huber, svr, quantile, knn, poisson, gamma, tweedie };

// How an svm pays for a violated margin v = max(0, 1 - y u), or an svr for v = max(0, |y - u| - epsilon).
enum class MarginLoss { linear, squared };  // v (hinge, epsilon-insensitive) or v^2 (their squares)

// Every learner but ridge and knn:  min 1/2 |w|^2 + C sum_i weight_i loss(y_i, z_i w + b),  LIBLINEAR's convention.
// lambda = 1 / (C n) is the other spelling, n the sum of the weights. The intercept b is not penalised.
struct LearnerOptions {
  Learner learner = Learner::ridge;  // ridge has options of its own
  MarginLoss loss = MarginLoss::linear;
  std::vector<double> C = {};        // empty (and no lambdas): searched; one: used as it is; several: the best of them.
                                     // svr with its linear loss: in the units of the target
  std::vector<double> lambdas = {};  // instead of C
  std::optional<double> parameter = {};  // epsilon of svr and delta of huber, in the units of the target; the level of
                                         // quantile; what a registered loss says. None: as the row says
  std::vector<double> levels = {};       // instead of the parameter of quantile: several, growing, of one target
  bool intercept = true;
  std::optional<double> tolerance = {};  // gap of the objective, relative to its optimum; none: 1e-6,
                                         // 1e-3 for CSR features, 1e-2 for svm on bins
  int most_steps = 200;                  // Newton steps before it stops and says so
  std::uint64_t seed = 0;                // which rows are held out, and the sketch
  // knn: the mean of the nearest rows' targets, or the shares of their classes.
  std::vector<std::size_t> neighbors = {};  // how many; empty: 1 to 100, by leave-one-out; several: the best of them
  enum class Weighting { chosen, equal, kernel } weighting = Weighting::chosen;  // chosen: by leave-one-out
  Kernel kernel = {};  // what neighbours weigh, of one length scale; train() takes its own and the bandwidth
};

// A row's loss: `cost` is C times its weight, by which the loss is multiplied. target: -1 or +1 for a class; a number
// in deviations of the targets from their mean, and so is the score; where the row has a power, the target over the
// mean of all targets. parameter: as LossParameter says.
struct LossPoint {
  double cost, target, score, parameter;
};
// A loss with a second derivative: its value at a score, and the derivatives by the score.
struct LossCurve {
  double value, slope, curvature;
};
// A loss of numbers with corners: cost * max(0, above * (r - free), below * (-r - free)), r = target - score.
struct LossLines {
  double free = 0, above = 1, below = 1;

  double value(const LossPoint& at) const;
};

struct LossParameter {
  const char* name;     // the option --name, and a note of the report
  const char* meaning;  // a sentence for help
  double low, high;     // it lies between
  bool may_be_low = false;
  double initial = 0;             // if none is given
  bool is_of_target = false;      // a length on the target's scale: initial is in deviations of the target
  const char* initial_text = "";  // for help, if the number does not say it
};

// A row of the table of learners: what one learns, the options it has, its loss, and what its head puts out. A program
// adds its own:
//
//   const LearnerRow kMine = {.name = "log-cosh", .task = Task::regression, .has_C = true,
//                             .curve = [](const LossPoint& at) -> LossCurve {
//                               const double r = at.score - at.target, t = std::tanh(r);
//                               return {at.cost * std::log(std::cosh(r)), at.cost * t, at.cost * (1 - t * t)};
//                             }};
//   const Model model = train(*rows, {.learner = {.learner = register_learner(kMine)}});
struct LearnerRow {
  Learner learner = {};           // register_learner() sets it
  const char* name = "";          // "hard-svm"
  std::optional<Task> task = {};  // none: numbers and classes
  bool has_C = false;             // ridge and hard margins have none
  bool has_loss = false;          // the choice of MarginLoss
  std::optional<LossParameter> parameter = {};
  // Convex in the score, each output by itself; the curvature is at most `steepest` times the cost, or for a row with a
  // power, whose curvature has no bound, near the score of the target. For has_loss: of MarginLoss::squared. Called by
  // several threads at once.
  LossCurve (*curve)(const LossPoint& at) = nullptr;
  double steepest = 1;
  // Takes the place of a curve; for has_loss: the loss of MarginLoss::linear.
  LossLines (*lines)(double parameter) = nullptr;
  bool judged_by_loss = false;  // C is chosen by the loss itself; otherwise numbers by their mean absolute error
  // Set: answers are exp(score), the means of targets that are not negative, and beside R2 they are judged by the
  // deviance of the law whose variance grows as mean^power. Given the loss's parameter; from 1 (Poisson) to 2 (Gamma).
  double (*power)(double parameter) = nullptr;
  bool has_levels = false;       // its parameter is the share of targets below the answer: corrected by rows left out
  bool has_neighbors = false;    // it compares rows: no features, no intercept, no objective
  bool rounds_features = false;  // 16-bit features do not move it by what its tolerance sees
  bool probabilities = false;    // its scores are those of classes' probabilities
  const char* no_parts = "";     // why parts of rows cannot be summed and merged; empty: they can
};
// The rows of the library, then those registered, in their order. Thread-safe, as the two below.
std::vector<LearnerRow> learners();
const LearnerRow& learner_row(Learner learner);
const LearnerRow* find_learner(std::string_view name);  // null: there is none of that name
bool answers_quantiles(std::string_view learner);  // R2 does not judge its answers; false: there is none of that name

// Makes a loss known by its name to the command's options and to train(), which learns it by Newton's steps on any map.
// The texts of the row must live as long as the program. Throws std::invalid_argument if the name is taken, or if curve
// and lines are both given or neither. Thread-safe.
Learner register_learner(const LearnerRow& row);

// Refuses what no data could mend: targets of the wrong kind, C and lambda at once, numbers out of range
// (std::invalid_argument).
void check_learner(const Schema& schema, const LearnerOptions& options);

// Refuses to learn classes from rows of one: Error::Kind::data. class_rows: of each class; empty: not counted yet.
// place: the file, for the message.
void check_classes(const Schema& schema, const std::vector<std::uint64_t>& class_rows, const std::string& place);

}  // namespace bochner
