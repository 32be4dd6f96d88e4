// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <span>

#include "learn/newton/dense_design.h"
#include "solve/cholesky.h"

namespace bochner {

// M = L L^T close to the Hessian I + Z^T diag(d) Z, the preconditioner of Newton's systems.
// Where more than `sketch_rows` rows have d > 0 they are sketched by that many buckets (CountSketch).
class HessianFactor {
 public:
  // intercept_shift stands where the intercept has no penalty of 1.
  HessianFactor(const DenseDesign& z, std::span<const double> d, double intercept_shift, std::uint64_t seed);

  // Every row of r, k x length, becomes M^-1 r.
  void solve(Matrix<double>& r) const;

  static std::size_t sketch_rows(std::size_t size) { return 3 * size; }

 private:
  const DenseDesign& z_;
  Cholesky factor_;
};

// The Hessian A + Z_s^T diag(d) Z_s of few rows s, A the diagonal penalty, inverted exactly by Woodbury's identity:
//   A^-1/2 (I - Y^T (diag(1/d) + Y Y^T)^-1 Y) A^-1/2,   Y = Z_s A^-1/2.
class FewRowsFactor {
 public:
  // z: Z_s, s x (features and the constant). intercept_penalty: of the constant, if there is one.
  FewRowsFactor(const Design& design, Matrix<double> z, std::span<const double> d, double intercept_penalty);

  void solve(double* r) const;  // length numbers
  static double cost(double rows, double size) { return rows * rows * (size / 2 + rows / 3); }

 private:
  std::size_t features_, intercept_at_;
  Matrix<double> y_, factor_;  // s x size, s x s
  std::vector<double> root_;   // A^-1/2
};

}  // namespace bochner
