// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <vector>

#include "backend/workers.h"
#include "bochner/archive.h"
#include "bochner/fold.h"
#include "folds/binned_sum.h"

namespace bochner {

// What low-rank factors need to know of rows beforehand: how many there are, the sum and the sum of squares of every
// column, and the largest |x|. Exact where rows are merged, and no bound has to be known for it.
class RowMoments {
 public:
  explicit RowMoments(std::size_t cols) : sums_(cols), squares_(cols) {}

  template <class T>
  void add(const Workers& on, const RowBlock<T>& rows);
  void merge(const RowMoments& other);
  // Columns of zeros behind those there are: of sparse rows that are wider elsewhere.
  void widen(std::size_t cols);
  void save(Archive& archive) const;
  void load(const Archive& archive);
  bool operator==(const RowMoments&) const = default;

  std::uint64_t rows() const { return rows_; }
  std::size_t cols() const { return sums_.size(); }
  double largest() const { return largest_; }
  std::vector<double> mean() const;
  double deviation(std::size_t column) const;
  double total() const;     // sum |x|^2
  double centered() const;  // sum |x - mean|^2

 private:
  // Columns first .. first + width; the largest |x| among them.
  template <class T>
  T add_dense(const RowBlock<T>& x, const std::vector<std::size_t>& edges, std::size_t first, std::size_t width);
  template <class T>
  T add_csr(const RowBlock<T>& x, std::size_t first, std::size_t width);

  std::uint64_t rows_ = 0;
  double largest_ = 0;
  std::vector<BinnedSum> sums_, squares_;
};

}  // namespace bochner
