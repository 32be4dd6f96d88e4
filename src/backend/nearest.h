// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace bochner {

// The best points that each row has met so far, in order of value, then of number. The order is total, a point has one
// place, and a pair has the same value whenever it meets: what stays depends on no order of the meetings.
struct NearestView {
  std::size_t keep = 0;              // places of a row
  float* values = nullptr;           // rows x keep, infinite where free
  std::uint32_t* numbers = nullptr;  // rows x keep

  NearestView slice(std::size_t begin) const { return {keep, values + begin * keep, numbers + begin * keep}; }
};

// The number of a free place.
inline constexpr std::uint32_t kNoPoint = std::numeric_limits<std::uint32_t>::max();

// Points that rows meet: their numbers, and what their values begin with.
struct MetPoints {
  const float* half = nullptr;             // one a point: |y|^2 / 2 for distances, 0 for inner products
  const std::uint32_t* numbers = nullptr;  // one a point
  const std::uint32_t* self = nullptr;     // one a row: the point that the row is and does not meet; null: none
};

// Puts a point into the places of one row where it belongs there.
inline void offer_point(float value, std::uint32_t number, std::size_t keep, float* values, std::uint32_t* numbers) {
  const auto before = [&](std::size_t at) {
    return values[at] < value || (values[at] == value && numbers[at] < number);
  };
  if (keep == 0 || !(value < std::numeric_limits<float>::infinity()) || before(keep - 1)) return;
  std::size_t at = keep;
  while (at > 0 && !before(at - 1)) --at;
  if (at < keep && values[at] == value && numbers[at] == number) return;  // met before
  for (std::size_t i = keep - 1; i > at; --i) {
    values[i] = values[i - 1];
    numbers[i] = numbers[i - 1];
  }
  values[at] = value;
  numbers[at] = number;
}

}  // namespace bochner
