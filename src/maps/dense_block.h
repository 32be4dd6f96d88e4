// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>

#include "base/lease.h"
#include "bochner/row_block.h"

namespace bochner {

// The rows of a block for a map that takes them dense: where they lie, or filled in where they are sparse.
template <class T>
class DenseBlock {
 public:
  explicit DenseBlock(const RowBlock<T>& block)
      : filled_(block.sparse() ? block.rows * block.cols : 1), rows_(block.sparse() ? fill(block) : block.view()) {}
  MatrixView<const T> rows() const { return rows_; }

 private:
  MatrixView<const T> fill(const RowBlock<T>& block) {
    T* to = filled_.data();
    std::fill_n(to, block.rows * block.cols, T(0));
    for (std::size_t i = 0; i < block.rows; ++i)
      for (std::size_t p = block.offsets[i]; p < block.offsets[i + 1]; ++p)
        to[i * block.cols + block.columns[p]] = block.values[p];
    return {to, block.rows, block.cols, block.cols};
  }

  Lease<T> filled_;
  MatrixView<const T> rows_;
};

}  // namespace bochner
