// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "methods/automatic/landmark_ridge.h"

namespace bochner {

// Logistic regression on kernel values against landmarks, k(x, z) = exp(-|x - z|^q), of several classes by softmax:
//   min sum_i w_i log-loss(y_i, b + k(x_i) alpha) + lambda w / 2 (alpha'K_M alpha + b^2),  w the weight of the rows,
// by L-BFGS, in coordinates that make the Hessian where the search begins the identity. Classes are coded -1 and +1.
// Same bits for any number of threads and on every machine.
class LandmarkLogistic {
 public:
  // held: rows that are not learnt from.
  LandmarkLogistic(const Workers& on, const MetricRows& rows, std::span<const std::uint32_t> landmarks,
                   const std::vector<char>& held, double q);

  // Coefficients of the landmarks and, last, the constants; `at`: where the search begins.
  Matrix<double> fit(double lambda, const Matrix<double>& at) const;
  Matrix<double> even_odds() const { return Matrix<double>(values_.cols(), rows_.y.cols); }
  // Log-odds of the rows listed.
  Matrix<double> log_odds(const Matrix<double>& coefficients, std::span<const std::uint32_t> of) const;
  // The mean log-loss of the rows listed.
  double log_loss(const Matrix<double>& log_odds, std::span<const std::uint32_t> of) const;
  // The map from rows of the metric to `slope` times the log-odds.
  MapPtr map(const Matrix<double>& coefficients, double slope) const;

 private:
  double loss_of_row(std::size_t row, double* odds) const;  // odds become the derivatives of the row's loss
  double loss(const Matrix<double>& coefficients, Matrix<double>& slopes) const;
  Matrix<double> inverse_root(const Matrix<double>& coefficients, double penalty) const;

  Threads& threads_;
  MetricRows rows_;
  Matrix<float> landmarks_;
  double q_;
  Matrix<double> values_;        // k(x_i) of all rows, and a column of ones
  Matrix<double> kernel_;        // K_M, with 1 for the constant
  std::vector<double> weights_;  // one for each row, 0 for those held out
  double weight_ = 0;
};

}  // namespace bochner
