// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <span>
#include <vector>

#include "backend/workers.h"
#include "base/aligned.h"
#include "bochner/matrix.h"
#include "bochner/row_block.h"

namespace bochner {

// Mapped rows kept in memory for a method that passes over them many times, with their targets and weights.
// A row is [z, 1, 0 ...]: the constant carries the intercept, the zeros fill the row up to whole vectors.
// Products are in double whatever the rows are kept in; sums over rows are formed group by group, and the groups
// depend on the number of rows only: the same bits for any threads and blocks.
class FeatureRows {
 public:
  // rows: how many there will be, so that their memory is taken once.
  FeatureRows(std::size_t features, bool intercept, std::size_t rows = 0);

  template <class T>
  void add(const Workers& on, const RowBlock<T>& z);

  std::size_t rows() const { return n_; }
  std::size_t features() const { return D_; }
  std::size_t width() const { return width_; }    // features and the constant
  std::size_t stride() const { return stride_; }  // width filled up: the length of the vectors below
  bool intercept() const { return width_ > D_; }
  std::size_t target_count() const { return target_count_; }
  const double* targets(std::size_t i) const { return targets_.data() + i * target_count_; }
  double weight(std::size_t i) const { return weights_.empty() ? 1.0 : weights_[i]; }
  bool weighted() const { return !weights_.empty(); }

  // u = Z v^T: v is k x stride, u is n x k.
  Matrix<double> scores(Threads& threads, const Matrix<double>& v) const;
  // a^T Z: a is n x k, the result k x stride.
  Matrix<double> combination(Threads& threads, const Matrix<double>& a) const;
  // sum_i z_i^T F(z_i v^T) over the rows named, ascending, for outputs v (k x stride): F turns the scores q of some
  // of the rows into r in place. A pair of row and output whose curvature is 0 is skipped: q and r are 0 there.
  struct Curved {
    std::span<const std::size_t> rows, outputs;
    const Matrix<double>& curvature;  // n x K, outputs names its columns
  };
  using Between = std::function<void(std::span<const std::size_t> rows, double* q)>;
  Matrix<double> normal_product(Threads& threads, const Matrix<double>& v, const Curved& over,
                                const Between& between) const;
  static constexpr std::size_t kMostGroups = 32;  // partial sums of a product
  double longest_row() const;                     // the largest |z_i|, without the constant
  // Row i in double, width entries; or `count` of them from `first` on.
  void copy_row(std::size_t i, double* out) const { copy_columns(i, 0, width_, out); }
  void copy_columns(std::size_t i, std::size_t first, std::size_t count, double* out) const;

  // out = sum_j factor_j z_{row_j} in float, width entries.
  void combine(std::span<const std::size_t> rows, std::span<const double> factor, float* out) const;

 private:
  template <class Use>
  auto with_values(const Use& use) const;

  std::size_t n_ = 0, D_, width_, stride_, target_count_ = 0, expected_;
  AlignedVector<float> floats_;  // n x stride, one of the two
  AlignedVector<double> doubles_;
  std::vector<double> targets_, weights_;
};

}  // namespace bochner
