// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "folds/gram.h"

namespace bochner {

// sum (x - m) (x - m)^T of rows without targets, dense or CSR; m = 0 where none is given. The sums of GramFold.
class CovarianceFold {
 public:
  // bound: |x_j - m_j| <= bound. wide: products of float rows in double.
  CovarianceFold(std::size_t cols, std::vector<double> mean, double bound, bool wide)
      : gram_(cols, bound, TargetCode{}), mean_(std::move(mean)), wide_(wide) {}

  template <class T>
  void add(const Workers& on, const RowBlock<T>& x);
  void merge(const CovarianceFold& other) { gram_.merge(other.gram_); }
  void save(Archive& archive) const { gram_.save(archive); }
  void load(const Archive& archive) { gram_.load(archive); }
  bool operator==(const CovarianceFold&) const = default;

  Matrix<double> matrix(Threads& threads) const;  // both triangles

 private:
  template <class C, class T>
  void add_as(const Workers& on, const RowBlock<T>& x);

  GramFold gram_;
  std::vector<double> mean_;
  bool wide_;
};

}  // namespace bochner
