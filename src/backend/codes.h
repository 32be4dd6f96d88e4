// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bochner {

// Rows of whole numbers from 0 to 255, one after the other.
struct CodeRows {
  static constexpr std::size_t kWidth = 32;                   // rows are padded to a multiple of it by zeros
  static constexpr std::size_t kMost = std::size_t(1) << 15;  // numbers of a row: sums of squares stay within 31 bits

  const std::uint8_t* values = nullptr;
  std::size_t stride = 0;  // a multiple of kWidth, at most kMost

  const std::uint8_t* row(std::size_t i) const { return values + i * stride; }
};

// squared[i] = |x - rows(at[i])|^2. Whole numbers: the same everywhere.
void code_distances(const std::uint8_t* x, const CodeRows& rows, std::span<const std::uint32_t> at,
                    std::uint32_t* squared);

}  // namespace bochner
