// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "bochner/gaussians.h"
#include "bochner/matrix.h"
#include "random/draw.h"

namespace bochner::testing {

// log N(x; m, S) by elimination without pivots.
inline double naive_log_density(const std::vector<double>& x, const std::vector<double>& mean, Matrix<double> S) {
  const std::size_t d = x.size();
  std::vector<double> u(d);
  for (std::size_t j = 0; j < d; ++j) u[j] = x[j] - mean[j];
  double log_det = 0, square = 0;
  for (std::size_t j = 0; j < d; ++j) {
    log_det += std::log(S(j, j));
    square += u[j] * u[j] / S(j, j);
    for (std::size_t i = j + 1; i < d; ++i) {
      const double factor = S(i, j) / S(j, j);
      for (std::size_t l = j; l < d; ++l) S(i, l) -= factor * S(j, l);
      u[i] -= factor * u[j];
    }
  }
  return -0.5 * (double(d) * std::log(2 * std::numbers::pi) + log_det + square);
}

inline std::vector<double> row_of(const Matrix<double>& x, std::size_t i) { return {&x(i, 0), &x(i, 0) + x.cols()}; }

// One round of EM as the books write it, with full covariances; returns the log-likelihood of what it began with.
inline double naive_round(const Matrix<double>& x, const std::vector<double>& weights, Mixture& mixture) {
  const std::size_t n = x.rows(), d = x.cols(), M = mixture.weights.size();
  Matrix<double> r(n, M);
  double likelihood = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t m = 0; m < M; ++m)
      sum += r(i, m) = mixture.weights[m] * std::exp(naive_log_density(row_of(x, i), row_of(mixture.gaussians.means, m),
                                                                       mixture.gaussians.covariance(m)));
    likelihood += weights[i] * std::log(sum);
    for (std::size_t m = 0; m < M; ++m) r(i, m) *= weights[i] / sum;
  }
  double all = 0;
  for (const double w : weights) all += w;
  for (std::size_t m = 0; m < M; ++m) {
    double beta = 0;
    std::vector<double> mean(d);
    Matrix<double> S(d, d);
    for (std::size_t i = 0; i < n; ++i) {
      beta += r(i, m);
      for (std::size_t j = 0; j < d; ++j) mean[j] += r(i, m) * x(i, j);
    }
    for (double& value : mean) value /= beta;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t a = 0; a < d; ++a)
        for (std::size_t b = 0; b < d; ++b) S(a, b) += r(i, m) * (x(i, a) - mean[a]) * (x(i, b) - mean[b]) / beta;
    mixture.weights[m] = beta / all;
    std::copy(mean.begin(), mean.end(), &mixture.gaussians.means(m, 0));
    mixture.gaussians.matrices[m] = S;
  }
  return likelihood;
}

// Rows of `clusters` Gaussians that overlap a little, inputs of different sizes and correlated.
inline Matrix<double> clustered_rows(std::size_t rows, std::size_t d, std::size_t clusters, std::uint64_t seed) {
  Matrix<double> x(rows, d);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t c = std::size_t(uniform(seed, Draw::pick, i) * double(clusters));
    for (std::size_t j = 0; j < d; ++j) {
      x(i, j) = 3 * normal(seed, Draw::candidate, c, j) + (1 + double(j)) * 0.5 * normal(seed, Draw::entry, i, j);
      if (j > 0) x(i, j) += 0.5 * x(i, j - 1);
    }
  }
  return x;
}

}  // namespace bochner::testing
