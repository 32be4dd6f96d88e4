// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <span>

#include "backend/workers.h"
#include "folds/exact_sum.h"

namespace bochner {

// sum w z e^T over kept rows z with residuals e and, in the last column, sum w e.
class ResidualMoments {
 public:
  // width: of a kept row. residuals: rows x outputs, row-major; weights: one per row, or none for all 1. Views.
  // most: no sum exceeds it.
  ResidualMoments(std::size_t width, std::size_t outputs, std::span<const float> residuals,
                  std::span<const float> weights, double most)
      : outputs_(outputs),
        residuals_(residuals),
        weights_(weights),
        sum_(std::vector<double>(outputs, most), width + 1) {}

  template <class T>
  void add(const Workers& on, const RowBlock<T>& z);
  void merge(const ResidualMoments& other) { sum_.merge(other.sum_); }
  void save(Archive& archive) const { sum_.save(archive, "sum"); }
  void load(const Archive& archive) { sum_.load(archive, "sum"); }

  Matrix<double> value() const { return sum_.value(); }  // outputs x (width + 1)
  bool operator==(const ResidualMoments& other) const { return sum_ == other.sum_; }

 private:
  std::size_t outputs_;
  std::span<const float> residuals_, weights_;
  ExactSum sum_;
};

}  // namespace bochner
