// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>
#include <vector>

#include "bochner/schema.h"

namespace bochner {

// Whether a column of texts is one input, the place of the cell's level among Column::levels from 1 on (0: not there),
// which the automatic machine takes for what it is: RowsOptions::max_levels = 0, and more levels than are indicators.
inline bool is_coded(const Column& column) { return column.kind == Column::Kind::numeric && !column.levels.empty(); }

// A column of the file, and the inputs that are made of it.
struct ColumnInputs {
  std::string name;
  std::size_t first = 0, count = 1;
  std::vector<std::string> levels = {};  // the texts of a text column
  bool marked = false;                   // the last input says whether the cell is missing
  bool dates = false;                    // numbers are days since 1970-01-01
  double fill = 0;                       // stands for a missing number
};
std::vector<ColumnInputs> column_inputs(const Schema& schema);

// One for each input: whether it marks the missing cells of the input before it.
std::vector<char> mark_inputs(const Schema& schema);

// One for each input: how many levels it is a code of (is_coded), 0: it is none.
std::vector<std::size_t> coded_levels(const Schema& schema);

// One for each input: whether it is a date, in days since 1970-01-01 less the offset of the schema.
std::vector<char> date_inputs(const Schema& schema);

}  // namespace bochner
