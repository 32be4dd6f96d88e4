// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>

#include "bochner/rows.h"
#include "learn/ridge/normal_equations.h"
#include "run/feature_store.h"

namespace bochner {

// Whether rows are so few that their space is worth a change of coordinates.
constexpr bool spans_few(std::size_t rows, std::size_t features) { return 2 * rows <= features; }

// min 1/2 |w|^2 + sum_i psi_i(z_i w + b) has its solution in the space that the rows span (Kimeldorf & Wahba 1971).
// In an orthonormal basis Q of it the rows are Z Q = L of the pivoted Cholesky factorization Z Z^T = L L^T: at most n
// features instead of D, and the same problem. Z_p, L_p: the rows and the square part of L at the pivots.
class RowSpace {
 public:
  // z must outlive this.
  RowSpace(const DenseRows& z, Threads& threads);

  std::unique_ptr<Rows> rows(const Schema& schema) const;  // L, with z's targets and weights; views of this
  // w = Q v = Z_p^T L_p^-T v
  Coefficients expand(const Coefficients& head, Threads& threads) const;

 private:
  const DenseRows& z_;
  Matrix<double> factor_;       // n x n, in the order of the pivots
  Matrix<double> coordinates_;  // L
  std::vector<std::size_t> pivots_;
  std::size_t rank_ = 0;
};

}  // namespace bochner
