// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "bochner/report.h"
#include "folds/target_code.h"
#include "learn/grids/rows.h"

namespace bochner {

// A fit judged on rows held out.
struct GridTrial {
  double loss = 0;         // what a search lowers
  double error = 0;        // classes: fraction wrong
  double unexplained = 0;  // numbers: squared error over their variance

  // Of each output, in codes: sum w y, sum w y^2, sum w (y - f)^2.
  struct Sums {
    double sum = 0, squares = 0, residual = 0;
  };
  std::vector<Sums> outputs = {};
  double weight = 0;
  std::size_t rows = 0;

  Score score(const TargetCode& code) const;  // in the units of the targets

  // All of it, for the log of a run.
  static std::size_t number_count(std::size_t outputs) { return 5 + 3 * outputs; }
  void append_to(std::vector<double>& numbers) const;
  static GridTrial from(const double* numbers, std::size_t outputs);
};

// f: predictions of the codes y, rows x outputs. Classes: the error, softened so that a row near the border counts by
// half: few rows then tell small differences apart. Numbers: the squared error over their variance.
GridTrial held_out_loss(const GridTargets& y, const std::vector<double>& f, Task task, double steep);

}  // namespace bochner
