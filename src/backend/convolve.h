// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>

namespace bochner {

// Rows that are convolved together: a number of each fills a cache line.
template <class T>
inline constexpr std::size_t kConvolvedRows = 64 / sizeof(T);

// Where entry f of a factor of `size` entries lies, in lines of kConvolvedRows: even entries first, then the odd ones.
inline std::size_t convolved_line(std::size_t f, std::size_t size) { return f % 2 * (size / 2) + f / 2; }

// Circular convolutions of `count` factors of `size` entries, a power of two, for kConvolvedRows rows at once:
//   sum over a + b + ... = f modulo size of factor_0[a] factor_1[b] ...,  all times 2^count size, in place of factor_0
// What the other factors were is lost. turns: cos(2 pi k / size) of k < size / 2, then the sines. A row's result is a
// function of that row alone, to the bit, and the same on every machine. T is float or double.
template <class T>
void convolve(T* factors, std::size_t count, std::size_t size, const T* turns);

}  // namespace bochner
