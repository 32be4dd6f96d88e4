// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   std::string line;
//   append_cell(line, "a, b");  // quoted: it has a comma

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

// Days since 1970-01-01 as columns of dates have them: 2024-03-31, or 2024-03-31T10:15:00.125.
std::string date_text(double days);

}  // namespace bochner
