// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>
#include <vector>

#include "learn/newton/dense_design.h"
#include "methods/ranking/pair_loss.h"
#include "solve/cholesky.h"

namespace bochner {

// min lambda / 2 |w|^2 + a loss of pairs of the scores u = Z w, by Newton's steps, each by conjugate gradients. The
// preconditioner is the Hessian of all pairs of some groups, were all of them within the margin: a pair's part of it
// depends on the difference of its rows alone, so that of a group of m rows is 4 / m times their scatter.
class RankingNewton {
 public:
  RankingNewton(const DenseDesign& z, const PairLoss& loss);

  // Begins where the last solution ended. False: the steps were used up.
  bool solve(double lambda, double tolerance = 1e-3, int most_steps = 50);
  std::vector<double> weights() const;  // one per feature
  const std::vector<double>& scores() const { return u_; }
  double objective() const { return objective_; }

 private:
  Matrix<double> step(double lambda, const Matrix<double>& downhill) const;
  double length(double lambda, const Matrix<double>& direction, const std::vector<double>& change) const;

  const DenseDesign& z_;
  const PairLoss& loss_;
  Matrix<double> scatter_;  // features x features
  Matrix<double> w_;        // 1 x length
  std::vector<double> u_;
  double objective_ = 0;
  double factored_ = 0;  // the lambda of the factor
  std::optional<Cholesky> factor_;
};

}  // namespace bochner
