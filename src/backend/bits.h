// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "backend/nearest.h"

namespace bochner {

// Rows of bits, one after the other: bit j of a row is bit j % 8 of its byte j / 8, padded by zeros to whole words
// of 64.
struct BitRows {
  const std::uint8_t* values = nullptr;
  std::size_t rows = 0, stride = 0;  // bytes of a row

  static std::size_t stride_of(std::size_t bits) { return (bits + 63) / 64 * 8; }
  const std::uint8_t* row(std::size_t i) const { return values + i * stride; }
  BitRows slice(std::size_t begin, std::size_t count) const { return {row(begin), count, stride}; }
};

// Numbers that are not 0 become bits that are set; stride_of(count) bytes.
void pack_bits(const float* x, std::size_t count, std::uint8_t* to);

// The bits in which row x differs from each of the rows at some places. Whole numbers: the same everywhere.
void bit_distances(const std::uint8_t* x, const BitRows& rows, std::span<const std::uint32_t> at,
                   std::uint32_t* distances);

// Every row of x meets every point, whose numbers begin at `first`: the least distances stay, of rows of fewer than
// 2^24 bits. self: the point that each row is and does not meet; null: none.
void nearest_bits(const BitRows& x, const BitRows& points, std::uint32_t first, const std::uint32_t* self,
                  const NearestView& best);

}  // namespace bochner
