// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>

#include "solve/cholesky.h"

namespace bochner {

// (a + shift I)^-1 b by a factor in float, which takes some half of the time: what it leaves over is computed
// in double and solved for again. Where float's digits turn out too few, by a factor in double. The same bits on every
// machine with a fused multiply-add, for any number of threads.
class RefinedCholesky {
 public:
  // left_over: what a solution may leave over of each column that it is asked for, as a share of its norm.
  RefinedCholesky(TiledSymmetric<double> a, double shift, double left_over, Threads& threads);

  // The column at which the matrix turned out not to be positive definite.
  std::optional<std::size_t> failed_column() const { return exact_ ? exact_->failed_column() : std::nullopt; }
  bool in_float() const { return !exact_; }

  // b <- (a + shift I)^-1 b
  void solve(MatrixView<double> b, Threads& threads);

 private:
  bool factor_in_float(Threads& threads);
  bool refine(MatrixView<const double> b, MatrixView<double> x, Threads& threads) const;
  void correct(const Matrix<double>& left, const std::vector<double>& norms, MatrixView<double> x) const;
  Matrix<double> remainder(MatrixView<const double> b, MatrixView<const double> x, Threads& threads) const;

  TiledSymmetric<double> a_;  // a + shift I; moved into exact_ if a factor in float does not suffice
  double left_over_;
  double scale_ = 1;             // a power of two
  TiledSymmetric<float> rough_;  // the factor of scale a
  std::optional<Cholesky> exact_;
};

}  // namespace bochner
