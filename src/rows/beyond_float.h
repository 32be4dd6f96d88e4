// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "bochner/row_block.h"
#include "bochner/schema.h"

namespace bochner {

// The first of `count` numbers that is infinite after it was rounded to float, or `count` if none is. No comparison of
// floats, so that the loop has no branches.
inline std::size_t first_beyond_float(const float* values, std::size_t count) {
  constexpr std::uint32_t kSize = 0x7fffffff, kInfinite = 0x7f800000;
  const auto infinite = [](float v) { return (std::bit_cast<std::uint32_t>(v) & kSize) == kInfinite; };
  bool any = false;
  for (std::size_t i = 0; i < count; ++i) any |= infinite(values[i]);
  return any ? std::size_t(std::find_if(values, values + count, infinite) - values) : count;
}
inline std::size_t first_beyond_float(const double*, std::size_t count) { return count; }

// Error::Kind::data for a number that float cannot hold. source: what the rows are called; row, input: from 0.
[[noreturn]] void refuse_beyond_float(const std::string& source, const Schema& schema, std::size_t row,
                                      std::size_t input, double value);

// Refuses rows that were rounded to float if a number became infinite. The values lie one behind the other, the first
// at place 0; original(k): the number that became the k-th of them.
template <class T, class Original>
void check_within_float(const std::string& source, const Schema& schema, const RowBlock<T>& rounded,
                        Original&& original) {
  const std::size_t count = rounded.sparse() ? rounded.offsets[rounded.rows] : rounded.rows * rounded.cols;
  const std::size_t k = first_beyond_float(rounded.values, count);
  if (k == count) return;
  const std::size_t* const ends = rounded.offsets + 1;
  const std::size_t row =
      rounded.sparse() ? std::size_t(std::upper_bound(ends, ends + rounded.rows, k) - ends) : k / rounded.cols;
  refuse_beyond_float(source, schema, rounded.first + row, rounded.sparse() ? rounded.columns[k] : k % rounded.cols,
                      double(original(k)));
}

}  // namespace bochner
