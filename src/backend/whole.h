// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace bochner {

// Numbers made whole: q = round(per_unit x), ties to even, at most kMostWhole in size, which is 15 bits and a sign.
// Sums of their products are exact in int64 for 2^35 rows.
constexpr std::int32_t kMostWhole = 127 * 128;

inline std::int32_t to_whole(float x, float per_unit) {
  constexpr auto kMost = float(kMostWhole);
  return std::int32_t(std::nearbyint(std::clamp(x * per_unit, -kMost, kMost)));
}

// q = 128 high + low, two digits of 8 bits: high in [-127, 127], low in [-64, 63]. Products of q are
//   2^14 high high + 2^7 (high low + low high) + low low.
constexpr std::int32_t high_digit(std::int32_t q) { return (q + 64) >> 7; }
constexpr std::int32_t low_digit(std::int32_t q) { return q - 128 * high_digit(q); }

// Rows whose products are summed in int32: all but the first of the three terms still fit together.
constexpr std::size_t kExactDepth = 1024;
static_assert(kExactDepth * ((2 * 127 * 64 << 7) + 64 * 64) < std::size_t(1) << 31);
static_assert(kExactDepth * 127 * 127 < std::size_t(1) << 31);

}  // namespace bochner
