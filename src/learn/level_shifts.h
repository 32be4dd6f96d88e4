// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <utility>
#include <vector>

namespace bochner {

// How far the answers for quantiles must move so that as many rows as they say lie at or below them: conformalised
// quantile regression (Romano, Patterson & Candes, NeurIPS 2019), each level by itself, from rows that the answers were
// not fitted to. A new row is as likely to stand at any place among n others: the quantile of level t of y - q(x) is
// their order statistic of place t (n + 1).
class LevelShifts {
 public:
  explicit LevelShifts(std::vector<double> levels) : levels_(std::move(levels)), residuals_(levels_.size()) {}

  // answers and targets: one per level.
  void add(const double* answers, const double* targets, double weight);
  bool empty() const { return residuals_.empty() || residuals_[0].empty(); }
  std::vector<double> shifts() const;
  // The shares of the rows at or below the answers as they were.
  std::vector<double> below() const;

 private:
  std::vector<double> levels_;
  std::vector<std::vector<std::pair<double, double>>> residuals_;  // each level's, with the row's weight
};

}  // namespace bochner
