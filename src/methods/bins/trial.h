// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "folds/target_code.h"
#include "learn/score.h"
#include "methods/bins/rows.h"

namespace bochner {

// A fit judged on rows held out.
struct GridTrial {
  double loss = 0;   // what a search lowers
  Scorer sums = {};  // sums over the codes

  Score score(const TargetCode& code) const { return sums.decoded(code).score(); }  // the targets' units

  // All of it, for the log of a run.
  static std::size_t number_count(std::size_t outputs) { return 1 + Scorer::number_count(outputs); }
  void append_to(std::vector<double>& numbers) const;
  static GridTrial from(Task task, std::size_t outputs, const double* numbers);
};

// f: predictions of the codes y, rows x outputs. Classes: the error, softened so that a row near the border counts by
// half: few rows then tell small differences apart. Numbers: the squared error over their variance.
GridTrial held_out_loss(const GridTargets& y, const std::vector<double>& f, Task task, double steep);

}  // namespace bochner
