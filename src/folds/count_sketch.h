// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <vector>

#include "backend/workers.h"
#include "bochner/matrix.h"
#include "bochner/row_block.h"
#include "folds/normal_product.h"

namespace bochner {

// CountSketch. Clarkson & Woodruff, STOC 2013: row i is added to bucket h(i) with sign s(i),
//   B = S sqrt(W) Z,   E[B^T B] = Z^T W Z.
// h and s are draws of the global row number, and a bucket adds its rows in their order, so the bits do not depend
// on threads or blocks. Unlike a sample of rows it misses none, however uneven their leverage.
//
// The fold holds `count` of the buckets, from `first` on: where rows are cheap to pass over again, a few buckets at
// a time need no more memory than themselves.
class CountSketch {
 public:
  CountSketch(const KeptRows& rows, std::size_t buckets, std::size_t first, std::size_t count, std::uint64_t seed);

  template <class T>
  void add(const Workers& on, const RowBlock<T>& z);

  // B - (S sqrt(W) 1) m^T, the sketch of rows about their mean m; in units of features. count x width.
  MatrixView<const float> about(const Workers& on, const std::vector<double>& mean);

 private:
  const KeptRows& rows_;
  std::size_t buckets_, first_;
  std::uint64_t seed_;
  Matrix<float> sums_;
  std::vector<double> ones_;  // S sqrt(W) 1
};

}  // namespace bochner
