// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "learn/newton/losses.h"
#include "learn/score.h"

namespace bochner {

// The place of the level nearest one half.
std::size_t nearest_median(const std::vector<double>& levels);

// What chooses C: for probabilities the log-loss; for classes the error and, to break ties, the squared error of the
// scores brought into (-1, 1); for numbers the loss itself or the mean absolute error, which outliers do not rule, in
// each target's unit. Of several quantiles of one target, all losses are summed and the one nearest the median is
// scored.
class ChoiceOfC {
 public:
  // units: one per output.
  ChoiceOfC(Task task, std::vector<double> units, LossChoice loss, bool one_target = false);

  void add(const double* prediction, const double* target, double weight);
  Score score() const { return scorer_.score(); }
  double loss() const { return task_ == Task::classification && !probabilities_ ? squashed_.loss() : sum_ / weight_; }

 private:
  void add_number(std::size_t k, double prediction, double target, double weight);

  Task task_;
  bool probabilities_, one_target_;
  LossChoice loss_;
  std::vector<double> units_;
  std::size_t middle_ = 0;
  Scorer scorer_, squashed_;
  std::vector<double> row_;
  double weight_ = 0, sum_ = 0;
};

}  // namespace bochner
