// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/signs.h"

#include "backend/reference/operations.h"

namespace bochner::reference {

void Operations::sign_bits(std::uint64_t seed, std::uint64_t row, std::size_t rows, std::size_t first,
                           std::size_t words, std::uint64_t* bits) {
  for (std::size_t i = 0; i < rows; ++i) draw_sign_bits(seed, row + i, first, words, bits + i * words);
}

template <class T>
void Operations::expand_signs(const std::uint64_t* bits, std::size_t words, T size, MatrixView<T> r) {
  for (std::size_t i = 0; i < r.rows; ++i)
    for (std::size_t j = 0; j < r.cols; ++j) r(i, j) = bits[i * words + j / 64] >> (j % 64) & 1 ? -size : size;
}

template void Operations::expand_signs(const std::uint64_t*, std::size_t, float, MatrixView<float>);
template void Operations::expand_signs(const std::uint64_t*, std::size_t, double, MatrixView<double>);

}  // namespace bochner::reference
