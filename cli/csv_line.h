// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "bochner/csv_text.h"

namespace bochner {

// The shortest digits that read back to the same number. Features and predictions are made in float: as such where
// they are one, since the digits beyond would be noise.
inline void append_number(std::string& line, double value) {
  if (double(float(value)) == value)
    fmt::format_to(std::back_inserter(line), "{}", float(value));
  else
    fmt::format_to(std::back_inserter(line), "{}", value);
}

}  // namespace bochner
