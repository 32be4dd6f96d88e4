// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "learn/left_out.h"
#include "learn/ridge/normal_equations.h"
#include "learn/row_products.h"

namespace bochner {

// Ridge where the rows are fewer than the features: with A = diag(sqrt(w)) (Z - 1 m^T), m the weighted mean,
//   (A^T A + lambda n I) beta = A^T y   is   beta = A^T alpha,  (A A^T + lambda n I) alpha = y,
// n the sum of the weights: a system of as many unknowns as rows. Saunders, Gammerman & Vovk 1998.
// Centred rows have the direction u = sqrt(w / n) in the null space of A A^T, and y has nothing of it. There the matrix
// gets an eigenvalue like its others, so that a small lambda does not drown them in the rounding of 1 / lambda.
class DualEquations {
 public:
  // Rows of weight 0 are left out. What z views and code must outlive this.
  DualEquations(const DenseRows& z, const TargetCode& code, bool intercept, Threads& threads);

  std::size_t rows() const { return a_.rows.size(); }
  Cholesky factor(double lambda, Threads& threads) const;  // may have failed
  Coefficients solve(const Cholesky& factor, Threads& threads) const;

  // Leave-one-out in closed form: the residual of row i is (y_i - yhat_i) / (1 - h_i), and with B the inverse
  //   sqrt(w_i) (y_i - yhat_i) = lambda n alpha_i,   1 - h_i = lambda n (B_ii - u_i^2 / (filled + lambda n)).
  LeftOutScore score_left_out(double lambda, const Cholesky& factor, Threads& threads) const;

 private:
  Matrix<double> alpha(const Cholesky& factor) const;
  const double* targets(std::size_t i) const {
    return std::visit([&](const auto& z) { return z.targets + a_.rows[i] * z.target_count; }, a_.z);
  }
  double coded(std::size_t i, std::size_t k) const { return code_.encode(targets(i), k); }

  ScaledRows a_;
  const TargetCode& code_;
  bool intercept_;
  TiledSymmetric<double> products_;
  Matrix<double> y_;
  std::vector<double> target_mean_;
  double weight_ = 0, filled_ = 0;
};

}  // namespace bochner
