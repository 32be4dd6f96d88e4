// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>
#include <utility>

#include "bochner/row_block.h"

namespace bochner {

// The rows of a block with their values in double, dense; valid while `values` is.
template <class T>
RowBlock<double> as_double(const RowBlock<T>& block, Matrix<double>& values) {
  if (values.rows() < block.rows) values = Matrix<double>(block.rows, block.cols);
  for (std::size_t i = 0; i < block.rows; ++i) {
    if (!block.sparse()) {
      std::copy_n(block.values + i * block.stride, block.cols, &values(i, 0));
      continue;
    }
    std::fill_n(&values(i, 0), block.cols, 0.0);
    for (std::size_t p = block.offsets[i]; p < block.offsets[i + 1]; ++p)
      values(i, block.columns[p]) = double(block.values[p]);
  }
  return block.with_values(std::as_const(values).view().slice(0, block.rows));
}

}  // namespace bochner
