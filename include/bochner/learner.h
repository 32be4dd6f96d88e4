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

enum class Learner { ridge, svm, hard_svm, logistic, huber, svr, knn };

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
  std::optional<double> epsilon = {};  // svr, in the units of the target; none: a tenth of the target's deviation
  std::optional<double> delta = {};    // huber, where squares become lines; none: 1.345 deviations of the residuals
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

// A row of the table of learners: what one learns, the options it has, and what its head puts out.
struct LearnerRow {
  Learner learner;
  const char* name;               // "hard-svm"
  std::optional<Task> task = {};  // none: numbers and classes
  bool has_C = false;             // ridge and hard margins have none
  bool has_loss = false;          // the choice of MarginLoss
  bool has_epsilon = false, has_delta = false;
  bool has_neighbors = false;    // it compares rows: no features, no intercept, no objective
  bool rounds_features = false;  // 16-bit features do not move it by what its tolerance sees
  bool probabilities = false;    // its scores are those of classes' probabilities
  const char* no_parts = "";     // why parts of rows cannot be summed and merged; empty: they can
};
std::span<const LearnerRow> learners();
const LearnerRow& learner_row(Learner learner);
const LearnerRow* find_learner(std::string_view name);  // null: there is none of that name

// Refuses what no data could mend: targets of the wrong kind, C and lambda at once, numbers out of range
// (std::invalid_argument).
void check_learner(const Schema& schema, const LearnerOptions& options);

// Refuses to learn classes from rows of one: Error::Kind::data. class_rows: of each class; empty: not counted yet.
// place: the file, for the message.
void check_classes(const Schema& schema, const std::vector<std::uint64_t>& class_rows, const std::string& place);

}  // namespace bochner
