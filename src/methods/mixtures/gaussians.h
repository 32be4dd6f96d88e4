// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/gaussians.h"
#include "backend/landmarks.h"
#include "bochner/gaussians.h"

namespace bochner {

// Gaussians made ready to be evaluated at rows of T. Everything is a sum of squares of differences x - mean, taken
// before anything else, so that nothing cancels where means lie far from 0.
//   log N(x; m, S) = -1/2 (d log 2 pi + log det S + |L^-1 (x - m)|^2),  S = L L^T
//   lowrank, S = F F^T + P:  |L^-1 (x - m)|^2 = |u|^2 - |C^-1 F^T P^-1/2 u|^2,  u = P^-1/2 (x - m),
//   C C^T = I + F^T P^-1 F (Woodbury), in double: the two may be far larger than their difference.
template <class T>
class GaussianDensities {
 public:
  // std::invalid_argument where sizes do not meet, a number is not finite or a covariance is not positive definite.
  explicit GaussianDensities(const Gaussians& gaussians);

  std::size_t size() const { return constants_.size(); }
  std::size_t inputs() const { return inputs_; }

  // out(i, k - first) = log N(x_i; k), k = first .. first + count. One thread, a moderate number of rows. A row's
  // result is a function of that row alone, to the bit.
  void log_densities(const Backend& on, MatrixView<const T> x, std::size_t first, std::size_t count,
                     MatrixView<double> out) const;

  // The same plus offsets[k - first]; -infinity where that is less than the row's largest by more than 70 log 2, which
  // adds nothing to a sum of exponentials in double. Of full covariances the first h whitened inputs show that of
  // Gaussians that lie apart, at (h / d)^2 of the work: |L^-1 (x - m)|^2 is at least the squares of those.
  void likely_log_densities(const Backend& on, MatrixView<const T> x, std::size_t first,
                            std::span<const double> offsets, MatrixView<double> out) const;
  // Chooses h by how far apart the Gaussians lie that are asked for together: from the first, `count` at a time.
  // offsets: of all. Until then h is d.
  void expect_groups(std::size_t count, std::span<const double> offsets);

 private:
  void prepare_full(const Gaussians& gaussians);
  void prepare_diagonal(const Gaussians& gaussians);
  void prepare_low_rank(const Gaussians& gaussians);
  void full(const Backend& on, MatrixView<const T> x, std::size_t k, MatrixView<double> out, std::size_t column) const;
  // The same for some rows of x, by all whitened inputs or those that `whiten` has.
  struct SomeRows {
    MatrixView<const T> x;
    std::span<const std::uint32_t> rows;
  };
  void full_of_some(const Backend& on, const SomeRows& some, const LowerPanels<T>& whiten, std::size_t k,
                    MatrixView<double> out, std::size_t column) const;
  void tied(const Backend& on, MatrixView<const T> x, std::size_t first, std::size_t count,
            MatrixView<double> out) const;
  void diagonal(MatrixView<const T> x, std::size_t first, std::size_t count, MatrixView<double> out) const;
  void low_rank(const Backend& on, MatrixView<const T> x, std::size_t k, MatrixView<double> out,
                std::size_t column) const;

  CovarianceForm form_;
  std::size_t inputs_;
  std::vector<double> constants_;             // -1/2 (d log 2 pi + log det S)
  Matrix<T> means_;                           // K x d
  DiagonalGaussians<T> diagonal_;             // diag, spherical
  std::vector<LowerPanels<T>> whiten_;        // full, tied: L^-1
  std::vector<LowerPanels<T>> heads_;         // full: its first h rows and columns; empty: h = d
  Matrix<T> whitened_;                        // tied: L^-1 (mean_k - origin)
  std::vector<T> origin_;                     // tied: the mean of the means
  Matrix<double> wide_means_, wide_factors_;  // lowrank
  std::vector<Matrix<double>> directions_;    // lowrank: P^-1/2 F C^-T, d x rank
};

}  // namespace bochner
