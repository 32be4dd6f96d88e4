// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/reference/exact_product.h"

#include "backend/whole.h"

namespace bochner::reference {

namespace {

bool always() { return true; }

std::size_t bytes(std::size_t rows, std::size_t cols) { return rows * cols * sizeof(std::int16_t); }

void pack(MatrixView<const float> x, float per_unit, std::size_t first, std::size_t, std::byte* packed) {
  auto* to = reinterpret_cast<std::int16_t*>(packed) + first * x.cols;
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t j = 0; j < x.cols; ++j) *to++ = std::int16_t(to_whole(x(i, j), per_unit));
}

void add(const std::byte* a, const std::byte* b, std::size_t rows, MatrixView<std::int64_t> sum) {
  const auto* x = reinterpret_cast<const std::int16_t*>(a);
  const auto* y = reinterpret_cast<const std::int16_t*>(b);
  for (std::size_t k = 0; k < rows; ++k)
    for (std::size_t i = 0; i < sum.rows; ++i)
      for (std::size_t j = 0; j < sum.cols; ++j) sum(i, j) += std::int64_t{x[k * sum.rows + i]} * y[k * sum.cols + j];
}

}  // namespace

const ExactProduct kExactProduct = {"reference", always, bytes, 1, pack, add};

}  // namespace bochner::reference
