// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/bfloat16.h"

#include "backend/reference/operations.h"

namespace bochner::reference {

bool Operations::has_bfloat16() { return true; }

std::size_t Operations::bfloat16_bytes(std::size_t rows, std::size_t cols) { return rows * cols * sizeof(Bfloat16); }

void Operations::pack_bfloat16(MatrixView<const float> x, std::byte* packed) {
  auto* to = reinterpret_cast<Bfloat16*>(packed);
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t j = 0; j < x.cols; ++j) *to++ = to_bfloat16(x(i, j));
}

void Operations::add_bfloat16_product(const std::byte* a, const std::byte* b, std::size_t rows,
                                      MatrixView<double> sum) {
  const auto* x = reinterpret_cast<const Bfloat16*>(a);
  const auto* y = reinterpret_cast<const Bfloat16*>(b);
  for (std::size_t k = 0; k < rows; ++k)
    for (std::size_t i = 0; i < sum.rows; ++i)
      for (std::size_t j = 0; j < sum.cols; ++j)
        sum(i, j) += double(to_float(x[k * sum.rows + i])) * double(to_float(y[k * sum.cols + j]));
}

}  // namespace bochner::reference
