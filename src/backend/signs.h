// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>

#include "random/draw.h"

namespace bochner {

// Random signs of the rows i of a matrix, 64 to a word: words 2 b and 2 b + 1 of row i are the 128 bits of the draw
// (seed, Draw::entry, i, b). A bit that is 1 stands for -1.
// first: an even word.
inline void draw_sign_bits(std::uint64_t seed, std::uint64_t row, std::size_t first, std::size_t words,
                           std::uint64_t* bits) {
  for (std::size_t w = 0; w < words; w += 2) {
    const DrawWords both = draw_words(seed, Draw::entry, row, (first + w) / 2);
    bits[w] = both.first;
    if (w + 1 < words) bits[w + 1] = both.second;
  }
}

constexpr std::size_t sign_words(std::size_t columns) { return (columns + 63) / 64; }

}  // namespace bochner
