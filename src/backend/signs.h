// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>

#include "bochner/matrix.h"
#include "random/draw.h"

namespace bochner {

// Rows of a matrix that is drawn: those at `index`, or `count` of them from the first one on. Below 2^32.
struct DrawnRows {
  const std::uint32_t* index = nullptr;
  std::size_t first = 0, count = 0;

  std::size_t operator[](std::size_t i) const { return index ? index[i] : first + i; }
  DrawnRows slice(std::size_t begin, std::size_t rows) const {
    return {index ? index + begin : nullptr, first + begin, rows};
  }
};

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
// The same of several rows, by vectors of counters: the operation of every backend, since bits are bits.
void draw_sign_bits(std::uint64_t seed, const DrawnRows& rows, std::size_t first, std::size_t words,
                    std::uint64_t* bits);

// Rows of signs, `words` apart.
struct SignBits {
  const std::uint64_t* bits = nullptr;
  std::size_t words = 0;

  const std::uint64_t* row(std::size_t i) const { return bits + i * words; }
};

// z (+)= x r for the matrix r(i, j) = +-size of those signs, the sums of expand_signs() and multiply() to the bit. The
// processor's own backend never forms it. z has 16 columns or more.
class Backend;
void multiply_signs(const Backend& on, MatrixView<const float> x, const SignBits& bits, float size, bool add,
                    MatrixView<float> z);
void multiply_signs(const Backend& on, MatrixView<const double> x, const SignBits& bits, double size, bool add,
                    MatrixView<double> z);

constexpr std::size_t sign_words(std::size_t columns) { return (columns + 63) / 64; }

}  // namespace bochner
