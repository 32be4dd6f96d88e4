// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <vector>

#include "backend/sparse_lines.h"
#include "base/threads.h"
#include "bochner/matrix.h"
#include "run/stream.h"
#include "solve/lanczos.h"

namespace bochner {

// The CSR rows A of a stream, less their mean where there is one, held so that products with the smaller of A A^T and
// A^T A take one walk over the entries: by columns where rows are fewer, else by rows. Vectors then have one number for
// each row, or for each column, and stay in the cache. Entries are held by 2^-exponent, so that their squares add up
// to at most 1.
class KeptSparse {
 public:
  struct Shape {
    std::size_t rows = 0, columns = 0;
    double total = 0;  // sum of squares of the entries
  };
  KeptSparse(const Stream& stream, const Shape& shape, const std::vector<double>& mean);

  bool by_columns() const { return by_columns_; }
  std::size_t size() const { return size_; }           // length of vectors: the smaller side
  double square_unit() const { return square_unit_; }  // what an eigenvalue of the held matrix stands for

  // A A^T q or A^T A q of the entries as held, in T. The sums of pieces of the lines, cut by the entries alone, are
  // added in their order: the same bits for any threads.
  template <class T>
  Matrix<double> product(const Matrix<double>& q, Threads& threads) const;

  // A^T y, where lines are columns.
  template <class T>
  Matrix<double> columns_times(const Matrix<double>& y, Threads& threads) const;

  // What it holds, and a product with it, by entries.
  static double bytes(const Shape& shape, double entries);

 private:
  void cut_lines();
  SparseLines piece(std::size_t p) const {
    return {offsets_.data(), places_.data(), values_.data(), edges_[p], edges_[p + 1] - edges_[p]};
  }

  bool by_columns_;
  std::size_t size_;
  double square_unit_ = 1;
  std::vector<std::size_t> offsets_, edges_;  // where lines begin, where pieces begin
  std::vector<std::uint32_t> places_;
  std::vector<float> values_;
  // Line l is less factor_[l] g: by columns the column's mean and ones, by rows 1 and the means. Empty: nothing.
  std::vector<double> factor_, g_;
};

struct SparseSpace : LanczosSpace {
  Matrix<double> columns = {};  // A^T vectors, where lines are columns
};
// The leading eigenvectors of what it multiplies by, from the columns of `start` on: in float, and in double where the
// least of them is below `blurred` of the largest, so that float would blur it. A stop is heard before each product.
SparseSpace leading_space(const KeptSparse& a, const Matrix<double>& start, const LanczosOptions& options,
                          double blurred, const Stream& stream);

}  // namespace bochner
