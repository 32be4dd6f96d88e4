// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/column_inputs.h"

namespace bochner {

std::vector<ColumnInputs> column_inputs(const Schema& schema) {
  std::vector<ColumnInputs> columns;
  if (schema.columns.empty()) {
    const std::vector<std::string> names = schema.input_names();
    for (std::size_t j = 0; j < names.size(); ++j) columns.push_back({names[j], j});
    return columns;
  }
  std::size_t at = 0;
  for (const Column& column : schema.columns) {
    const std::size_t count = column.inputs();
    if (count > 0)
      columns.push_back({column.name, at, count, is_coded(column) ? std::vector<std::string>() : column.levels,
                         column.marked, column.dates != Column::Dates::none, column.fill});
    at += count;
  }
  return columns;
}

std::vector<char> mark_inputs(const Schema& schema) {
  std::vector<char> marks(schema.inputs, 0);
  std::size_t at = 0;
  for (const Column& column : schema.columns) {
    if (column.marked) marks[at + 1] = 1;
    at += column.inputs();
  }
  return marks;
}

std::vector<std::size_t> coded_levels(const Schema& schema) {
  std::vector<std::size_t> levels(schema.inputs, 0);
  std::size_t at = 0;
  for (const Column& column : schema.columns) {
    if (is_coded(column)) levels[at] = column.levels.size();
    at += column.inputs();
  }
  return levels;
}

std::vector<char> date_inputs(const Schema& schema) {
  std::vector<char> dates(schema.inputs, 0);
  std::size_t at = 0;
  for (const Column& column : schema.columns) {
    if (column.inputs() > 0 && column.dates != Column::Dates::none) dates[at] = 1;
    at += column.inputs();
  }
  return dates;
}

}  // namespace bochner
