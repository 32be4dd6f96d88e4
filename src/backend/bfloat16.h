// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <bit>
#include <cstdint>

namespace bochner {

// The upper half of a float's bits: 8 bits of precision.
using Bfloat16 = std::uint16_t;

// Rounds to the nearest, ties to even. The numbers are finite and below 2^127.
inline Bfloat16 to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return Bfloat16((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

inline float to_float(Bfloat16 value) { return std::bit_cast<float>(std::uint32_t{value} << 16); }

}  // namespace bochner
