// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <span>

#include "base/aligned.h"
#include "base/threads.h"
#include "learn/newton/feature_rows.h"
#include "solve/cholesky.h"

namespace bochner {

// M = L L^T close to the Hessian I + Z^T diag(d) Z, the preconditioner of Newton's systems.
// Where more than `sketch_rows` rows have d > 0 they are first added up, with random signs, in that many buckets
// (CountSketch; Clarkson & Woodruff 2013): E[Z^T S^T S Z] = Z^T Z at a fraction of the cost.
class HessianFactor {
 public:
  // intercept_shift stands where the intercept has no penalty of 1.
  HessianFactor(const FeatureRows& z, std::span<const double> d, double intercept_shift, std::uint64_t seed,
                Threads& threads);

  // Every row of r, k x stride, becomes M^-1 r.
  void solve(Matrix<double>& r) const;

  static std::size_t sketch_rows(std::size_t width) { return 3 * width; }

 private:
  std::size_t width_;
  Cholesky factor_;
};

// The Hessian A + Z_s^T diag(d) Z_s of few rows s, A the diagonal penalty, inverted exactly by Woodbury's identity:
//   A^-1/2 (I - Y^T (diag(1/d) + Y Y^T)^-1 Y) A^-1/2,   Y = Z_s A^-1/2.
class FewRowsFactor {
 public:
  FewRowsFactor(const FeatureRows& z, std::span<const std::size_t> rows, std::span<const double> d,
                std::span<const double> penalty);

  void solve(double* r) const;  // stride entries
  static double cost(double rows, double width) { return rows * rows * (width / 2 + rows / 3); }

 private:
  Matrix<double> y_, factor_;  // s x width, s x s
  std::vector<double> root_;   // A^-1/2
};

}  // namespace bochner
