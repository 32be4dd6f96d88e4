// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>

namespace bochner {

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
