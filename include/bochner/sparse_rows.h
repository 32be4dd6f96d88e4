// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   SparseRows<float> rows;
//   rows.add(3, 1.0f);  // columns ascend within a row
//   rows.add(7, 0.5f);
//   rows.end_row();
//   const RowBlock<float> block = rows.view(10);  // one row of 10 columns, two of them not 0

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bochner/matrix.h"
#include "bochner/row_block.h"

namespace bochner {

// Rows as CSR that are made one after the other: what a map puts out whose features are mostly 0. T is float or double.
template <class T>
struct SparseRows {
  std::vector<std::size_t> offsets = {0};  // rows + 1 positions in columns and values
  std::vector<std::uint32_t> columns = {};
  std::vector<T> values = {};

  std::size_t rows() const { return offsets.size() - 1; }

  // A number of the row that is being made; columns ascend.
  void add(std::size_t column, T value) {
    columns.push_back(std::uint32_t(column));
    values.push_back(value);
  }
  void end_row() { offsets.push_back(columns.size()); }

  void clear() {  // keeps its memory
    offsets.resize(1);
    columns.clear();
    values.clear();
  }

  // A row of another, its columns moved and its values multiplied.
  void append(const RowBlock<T>& sparse, std::size_t row, std::size_t first_column = 0, T factor = 1) {
    for (std::size_t p = sparse.offsets[row]; p < sparse.offsets[row + 1]; ++p)
      add(first_column + sparse.columns[p], factor == T(1) ? sparse.values[p] : factor * sparse.values[p]);
  }

  // These rows as a block of `cols` columns, until they change.
  RowBlock<T> view(std::size_t cols) const {
    RowBlock<T> block;
    block.rows = rows();
    block.cols = cols;
    block.values = values.data();
    block.offsets = offsets.data();
    block.columns = columns.data();
    return block;
  }
  // The same with the numbers, targets and weights of the rows of `block`, of which they are made.
  template <class U>
  RowBlock<T> view(std::size_t cols, const RowBlock<U>& of) const {
    RowBlock<T> block = view(cols);
    block.first = of.first;
    block.targets = of.targets;
    block.target_count = of.target_count;
    block.weights = of.weights;
    return block;
  }
  // The same rows with their zeros.
  void write(MatrixView<T> out) const {
    for (std::size_t i = 0; i < rows(); ++i) {
      std::fill_n(out.row(i), out.cols, T(0));
      for (std::size_t p = offsets[i]; p < offsets[i + 1]; ++p) out(i, columns[p]) = values[p];
    }
  }
};

}  // namespace bochner
