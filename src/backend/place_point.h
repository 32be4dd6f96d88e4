// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstring>

#include "backend/nearest.h"

namespace bochner {

// offer_point for many places: a search by halves, and both arrays moved at once.
inline void place_point(float value, std::uint32_t number, std::size_t keep, float* values, std::uint32_t* numbers) {
  const auto before = [&](std::size_t at) {
    return values[at] < value || (values[at] == value && numbers[at] < number);
  };
  if (keep == 0 || !(value < std::numeric_limits<float>::infinity()) || before(keep - 1)) return;
  std::size_t at = 0;
  for (std::size_t count = keep; count > 0;) {
    const std::size_t half = count / 2;
    const bool behind = before(at + half);
    at = behind ? at + half + 1 : at;
    count = behind ? count - half - 1 : half;
  }
  if (values[at] == value && numbers[at] == number) return;  // met before
  const std::size_t moved = keep - 1 - at;
  std::memmove(values + at + 1, values + at, moved * sizeof(float));
  std::memmove(numbers + at + 1, numbers + at, moved * sizeof(std::uint32_t));
  values[at] = value;
  numbers[at] = number;
}

}  // namespace bochner
