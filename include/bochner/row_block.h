// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto rows = open_rows("cars.csv", {.targets = {"price"}});
//   RowBlock<float> block;
//   double sum = 0;
//   while (rows->next(1000, block))
//     for (std::size_t i = 0; i < block.rows; ++i) sum += block.targets[i * block.target_count];

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "bochner/matrix.h"

namespace bochner {

// Rows are summed in chunks whose edges are multiples of this row number: within a chunk in floating point, across
// chunks exactly. So sums do not depend on how rows were split into blocks, among threads or into shards.
inline constexpr std::size_t kChunkRows = 1024;

// A view of consecutive rows, dense (row-major) or CSR. T is float or double.
// Targets and weights are always double. A class target is the index of its label.
template <class T>
struct RowBlock {
  std::size_t first = 0;  // global index of the first row
  std::size_t rows = 0;
  std::size_t cols = 0;

  const T* values = nullptr;
  std::size_t stride = 0;                  // dense: elements from one row to the next
  const std::size_t* offsets = nullptr;    // CSR: rows + 1 positions in columns and values; null when dense
  const std::uint32_t* columns = nullptr;  // CSR: ascending within a row

  const double* targets = nullptr;  // rows x target_count, row-major; null when there are none
  std::size_t target_count = 0;
  const double* weights = nullptr;  // one per row; null means all 1

  // The rows of x, numbered from `first`, without targets and weights.
  static RowBlock dense(MatrixView<const T> x, std::size_t first = 0) {
    return {.first = first, .rows = x.rows, .cols = x.cols, .values = x.data, .stride = x.stride};
  }
  // These rows, their numbers, targets and weights, with the values z instead: dense, of any type and width.
  template <class U>
  RowBlock<std::remove_const_t<U>> with_values(MatrixView<U> z) const {
    auto block = RowBlock<std::remove_const_t<U>>::dense(z, first);
    block.rows = rows;
    block.targets = targets;
    block.target_count = target_count;
    block.weights = weights;
    return block;
  }
  MatrixView<const T> view() const { return {values, rows, cols, stride}; }  // where dense

  bool sparse() const { return offsets != nullptr; }

  // Rows begin .. begin + count of this block.
  RowBlock slice(std::size_t begin, std::size_t count) const {
    RowBlock part = *this;
    part.first = first + begin;
    part.rows = count;
    if (sparse())
      part.offsets = offsets + begin;
    else
      part.values = values + begin * stride;
    if (targets) part.targets = targets + begin * target_count;
    if (weights) part.weights = weights + begin;
    return part;
  }
};

}  // namespace bochner
