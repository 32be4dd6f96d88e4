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
    if (column.kind == Column::Kind::numeric) columns.push_back({column.name, at++});
    if (column.kind == Column::Kind::category && !column.levels.empty()) {
      columns.push_back({column.name, at, column.levels.size(), column.levels});
      at += column.levels.size();
    }
  }
  return columns;
}

}  // namespace bochner
