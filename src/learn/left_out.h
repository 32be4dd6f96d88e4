// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "learn/score.h"

namespace bochner {

// Leave-one-out residuals of ridge are (M y)_i / M_ii, M = I - H the matrix that turns targets into residuals.
struct LeftOutScore {
  Scorer scorer;
  // The mean over rows j of M_ij^2 / (M_ii M_jj), row i with the median of M_ii: how much all residuals are one number.
  // About as many features as rows and a small lambda leave a single direction to M, and a chance by which the targets
  // have little of it would look like a perfect fit.
  double shared = 0;

  double loss() const;  // the scorer's; infinite if residuals are so much alike that it says nothing
};
// left: M_ii; with_row: M_ij of the row `at`. Fewer than ten rows are always alike.
double shared_residuals(const std::vector<double>& left, const std::vector<double>& with_row, std::size_t at);
std::size_t median_place(const std::vector<double>& values);

}  // namespace bochner
