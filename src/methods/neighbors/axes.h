// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/matrix.h"
#include "methods/neighbors/dense_rows.h"

namespace bochner {

// Rows far apart, the same for the same seed: one of each of `count` equal stretches.
std::vector<std::uint32_t> spread_rows(std::size_t rows, std::size_t count, std::uint64_t seed);

// Where rows spread most, from a sample of them: x - mean along orthonormal directions, the widest first, with the
// same bits on every machine.
class LeadingAxes {
 public:
  LeadingAxes(const Workers& on, const DenseRows& points, std::uint64_t seed);

  const std::vector<double>& mean() const { return mean_; }
  // Columns; fewer where the sample spreads along fewer.
  Matrix<double> directions(const Workers& on, std::size_t count) const;

 private:
  Matrix<double> spread_along(const Workers& on, const Matrix<double>& directions) const;

  std::vector<double> mean_;
  std::uint64_t seed_;
  // covariance_: that of rows with few inputs. columns_: other rows less their mean, as columns.
  Matrix<double> covariance_, columns_;
};

}  // namespace bochner
