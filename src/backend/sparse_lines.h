// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>

#include "bochner/matrix.h"

namespace bochner {

// Vectors come in panels of as many: 64 bytes of float, so that a line of the cache holds one place of all of them.
inline constexpr std::size_t kPanelColumns = 16;

// Some of the lines (the rows, or the columns) of a sparse matrix: values[p] at places[p] for offsets[l] <= p <
// offsets[l + 1], l = first .. first + count.
struct SparseLines {
  const std::size_t* offsets = nullptr;
  const std::uint32_t* places = nullptr;
  const float* values = nullptr;
  std::size_t first = 0, count = 0;
};

// What lines lose so that the matrix is centred: line l becomes a_l - factor[l] g for one vector g. Without a factor
// nothing.
template <class T>
struct LineShift {
  const T* factor = nullptr;   // one a line
  const T* product = nullptr;  // g^T x, a panel
  double* sum = nullptr;       // a panel: += factor[l] w_l, which the caller takes from u with g
};

// The operation of every backend, as the drawing of signs is: entries come in their order and each is one fused
// multiply and add, so the bits depend on no vector width.
//   w_l = x^T (a_l - factor[l] g),   u += a_l w_l^T
// x, u: one row of kPanelColumns for each place. A A^T x of a matrix A whose columns are the lines, or A^T A x of one
// whose rows they are, without the products A^T x in between.
template <class T>
void add_normal_product(const SparseLines& a, const LineShift<T>& shift, const T* x, T* u);

// y_l = x^T a_l, row l of y for line l.
template <class T>
void line_products(const SparseLines& a, const T* x, MatrixView<T> y);

}  // namespace bochner
