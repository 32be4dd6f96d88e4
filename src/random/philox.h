// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <array>
#include <cstdint>

namespace bochner {

// Philox 4x32-10. Salmon, Moraes, Dror & Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
// A keyed bijection of 128-bit counters: ten rounds of two 32 x 32 -> 64 multiplications. No state.
using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

constexpr PhiloxCounter philox(PhiloxCounter c, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * c[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * c[2];
    c = {std::uint32_t(p1 >> 32) ^ c[1] ^ key[0], std::uint32_t(p1), std::uint32_t(p0 >> 32) ^ c[3] ^ key[1],
         std::uint32_t(p0)};
    key = {key[0] + 0x9E3779B9, key[1] + 0xBB67AE85};  // golden ratio, sqrt(3) - 1
  }
  return c;
}

}  // namespace bochner
