// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/schema.h"

#include "rows/columns.h"

namespace bochner {

std::size_t Column::inputs() const {
  return kind == Kind::numeric ? (marked ? 2 : 1) : kind == Kind::category ? levels.size() : 0;
}

std::vector<std::string> Schema::input_names() const {
  if (columns.empty()) return numbered_names(inputs);
  std::vector<std::string> names;
  for (const Column& column : columns) {
    if (column.kind == Column::Kind::numeric) names.push_back(column.name);
    if (column.marked) names.push_back(column.name + " is missing");
    if (column.kind == Column::Kind::category)
      for (const std::string& level : column.levels) names.push_back(column.name + "=" + level);
  }
  return names;
}

std::vector<std::string> Schema::target_names() const {
  std::vector<std::string> names;
  for (const Column& column : columns)
    if (column.kind == Column::Kind::target) names.push_back(column.name);
  while (names.size() < targets) names.push_back("target" + std::to_string(names.size()));
  return names;
}

}  // namespace bochner
