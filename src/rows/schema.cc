// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/schema.h"

#include "rows/columns.h"

namespace bochner {

std::vector<std::string> Schema::input_names() const {
  if (columns.empty()) return numbered_names(inputs);
  std::vector<std::string> names;
  for (const Column& column : columns) {
    if (column.kind == Column::Kind::numeric) names.push_back(column.name);
    if (column.kind == Column::Kind::category)
      for (const std::string& level : column.levels) names.push_back(column.name + "=" + level);
  }
  return names;
}

}  // namespace bochner
