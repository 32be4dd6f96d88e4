// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   std::string line;
//   append_cell(line, "a, b");  // in quotes

#include <string>
#include <string_view>

namespace bochner {

// A cell of CSV: quoted only where it must be.
inline void append_cell(std::string& line, std::string_view cell) {
  if (cell.find_first_of(",\"\r\n") == cell.npos) {
    line += cell;
    return;
  }
  line += '"';
  for (const char c : cell) {
    if (c == '"') line += '"';
    line += c;
  }
  line += '"';
}

}  // namespace bochner
