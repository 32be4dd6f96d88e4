// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>

namespace bochner {

// sum += sign * by, modulo 2^64. Sums of rows stay far below that; a file may hold numbers that no rows add up to, and
// adding those must not be undefined.
inline void add_wrapped(std::int64_t& sum, std::int64_t by, std::int64_t sign = 1) {
  sum = std::int64_t(std::uint64_t(sum) + std::uint64_t(sign) * std::uint64_t(by));
}

}  // namespace bochner
