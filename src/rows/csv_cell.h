// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rows/cell_rules.h"

namespace bochner {

// One cell of a row of CSV. Spaces around it and around its quotes do not count.
struct CsvCell {
  std::string_view text;  // unquoted; in the row itself or in the scratch string
  const char* begin = nullptr;
  const char* next = nullptr;       // its delimiter or the newline at the end of the row
  const char* complaint = nullptr;  // what is wrong with it, at `next`
};

// Reads the cell at p. The row ends with a newline.
CsvCell read_cell(const char* p, char delimiter, std::string& scratch);

// The row's end when the line at p holds nothing but spaces, else null.
const char* blank_line(const char* p, char delimiter);

// The start of the row behind the one at p, if that one has a missing cell in a column that counts (is among anything);
// else null. `gaps`, where given, counts the missing cells of such rows by column.
const char* skip_incomplete(const char* p, char delimiter, const CellRules& rules, const std::vector<Among>& among,
                            std::vector<std::size_t>* gaps = nullptr);

// All cells of the row at p, which moves on to the next row. For the first lines and for messages.
std::vector<std::string> read_row(const char*& p, char delimiter);

}  // namespace bochner
