// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   // Three columns of 100 numbers, one behind the other: 1 number to the next row, 100 to the next column.
//   const std::vector<double> columns(3 * 100);
//   const TableView<double> table{columns.data(), 100, 3, 1, 100};
//   Schema schema;
//   schema.inputs = 3;
//   const auto rows = table_rows<double>(table, {}, schema);

#include <cstddef>
#include <memory>

#include "bochner/matrix.h"
#include "bochner/rows.h"
#include "bochner/schema.h"

namespace bochner {

// Numbers in memory that lie at even steps, which may be negative: by columns, every second row, turned around.
template <class T>
struct TableView {
  const T* data = nullptr;
  std::size_t rows = 0, cols = 0;
  std::ptrdiff_t row_step = 0, column_step = 0;  // counted in elements
};

// memory_rows() for such a table: a view, of which a block at a time is put in the order of rows. T: float, double.
template <class T>
std::unique_ptr<Rows> table_rows(const TableView<T>& x, MatrixView<const double> targets, const Schema& schema,
                                 const double* weights = nullptr);

}  // namespace bochner
