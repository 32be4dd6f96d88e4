// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "bochner/csv_text.h"

namespace bochner {

// The shortest digits that read back to the same number. Features and predictions are made in float: as such where
// they are one, since the digits beyond would be noise.
inline void append_number(std::string& line, double value) {
  char digits[32];  // more than any takes
  const char* const end = double(float(value)) == value ? fmt::format_to(digits, FMT_COMPILE("{}"), float(value))
                                                        : fmt::format_to(digits, FMT_COMPILE("{}"), value);
  line.append(digits, std::size_t(end - digits));
}

}  // namespace bochner
