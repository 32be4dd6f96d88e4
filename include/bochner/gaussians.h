// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   Gaussians two;
//   two.form = parse_covariance_name("diag");
//   two.means = Matrix<double>(2, 3);      // both at 0
//   two.variances = Matrix<double>(2, 3);  // one per input
//   for (std::size_t k = 0; k < 6; ++k) two.variances.data()[k] = 1;
//   const Mixture mixture{{0.5, 0.5}, two};
//   const double n = parameters_of(two.form, 2, 3);  // 13 numbers, of which 12 are free beside the weights

#include <cstddef>
#include <string>
#include <vector>

#include "bochner/matrix.h"

namespace bochner {

// What the covariance of a Gaussian may be.
struct CovarianceForm {
  enum class Kind {
    full,       // any
    diag,       // one variance per input
    spherical,  // one variance
    tied,       // any, the same for all Gaussians
    lowrank,    // F F^T + a diagonal, F has `rank` columns: a factor analyser (Ghahramani & Hinton 1996)
  };

  Kind kind = Kind::full;
  std::size_t rank = 0;  // lowrank
  bool operator==(const CovarianceForm&) const = default;
};

// "full", "diag", "spherical", "tied", "lowrank:5" and back; std::invalid_argument for another word.
std::string covariance_name(const CovarianceForm& form);
CovarianceForm parse_covariance_name(const std::string& text);

// K Gaussians of d inputs, N(mean_k, covariance_k).
struct Gaussians {
  CovarianceForm form = {};
  Matrix<double> means = {};                  // K x d
  Matrix<double> variances = {};              // diag: K x d; spherical: K x 1; lowrank: K x d, the diagonal
  std::vector<Matrix<double>> matrices = {};  // full: K covariances; tied: one; lowrank: K matrices F, d x rank

  std::size_t size() const { return means.rows(); }
  std::size_t inputs() const { return means.cols(); }
  Matrix<double> covariance(std::size_t k) const;  // d x d
  bool operator==(const Gaussians&) const = default;
};

// p(x) = sum_k weights[k] N(x; mean_k, covariance_k). Weights are positive and sum to 1.
struct Mixture {
  std::vector<double> weights = {};
  Gaussians gaussians = {};
  bool operator==(const Mixture&) const = default;
};

// Free numbers of means and covariances, and of the weights but one.
double parameters_of(const CovarianceForm& form, std::size_t components, std::size_t inputs);

}  // namespace bochner
