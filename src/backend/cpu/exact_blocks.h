// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "backend/cpu/exact_units.h"
#include "backend/whole.h"
#include "bochner/matrix.h"

namespace bochner::cpu {

// Columns go in blocks of Kernel::kRight and rows in groups of Kernel::kGroup; a block of a group is Kernel::kUnit
// bytes of the kernel's own layout, and a block's groups follow each other. The left side is read kLeft columns at a
// time, which begin Kernel::kStep bytes apart. Kernel::kDepth rows are summed at a time, so that a block of them stays
// in the first cache while the left side goes by.
//   Kernel::multiply(a, b, groups, c, stride): adds kLeft x kRight sums over the groups to c.
template <class Kernel>
struct ExactBlocks {
  // Columns of the left side that stay in the second cache while the right side goes by.
  static constexpr std::size_t kTall = 128;
  static_assert(Kernel::kRight % Kernel::kLeft == 0 && kTall % Kernel::kLeft == 0);
  static_assert(Kernel::kDepth <= kExactDepth && Kernel::kDepth % Kernel::kGroup == 0);

  static std::size_t groups(std::size_t rows) { return (rows + Kernel::kGroup - 1) / Kernel::kGroup; }
  static std::size_t blocks(std::size_t cols) { return (cols + Kernel::kRight - 1) / Kernel::kRight; }
  static std::size_t bytes(std::size_t rows, std::size_t cols) { return blocks(cols) * groups(rows) * Kernel::kUnit; }

  // Kernel::put(x, per_unit, unit) packs one group of one block; x has fewer rows and columns than those at the ends.
  static void pack(MatrixView<const float> x, float per_unit, std::size_t first, std::size_t rows, std::byte* packed) {
    const std::size_t groups = ExactBlocks::groups(rows);
    for (std::size_t i = 0; i < x.rows; i += Kernel::kGroup)
      for (std::size_t j = 0; j < x.cols; j += Kernel::kRight)
        Kernel::put(MatrixView<const float>{x.row(i) + j, std::min(Kernel::kGroup, x.rows - i),
                                            std::min(Kernel::kRight, x.cols - j), x.stride},
                    per_unit, packed + (j / Kernel::kRight * groups + (first + i) / Kernel::kGroup) * Kernel::kUnit);
  }

  static void add(const std::byte* a, const std::byte* b, std::size_t rows, MatrixView<std::int64_t> sum) {
    const std::size_t groups = ExactBlocks::groups(rows);
    const bool symmetric = a == b && sum.rows == sum.cols;
    constexpr std::size_t kDepth = Kernel::kDepth / Kernel::kGroup;
    for (std::size_t depth = 0; depth < groups; depth += kDepth)
      for (std::size_t tall = 0; tall < sum.rows; tall += kTall)
        for (std::size_t j = 0; j < sum.cols; j += Kernel::kRight) {
          const std::byte* right = b + (j / Kernel::kRight * groups + depth) * Kernel::kUnit;
          const std::size_t end = std::min(sum.rows, tall + kTall);
          for (std::size_t i = symmetric ? std::max(tall, j) : tall; i < end; i += Kernel::kLeft) {
            const std::byte* left = a + (i / Kernel::kRight * groups + depth) * Kernel::kUnit +
                                    i % Kernel::kRight / Kernel::kLeft * Kernel::kStep;
            add_tile(left, right, std::min(kDepth, groups - depth),
                     {&sum(i, j), std::min(Kernel::kLeft, sum.rows - i), std::min(Kernel::kRight, sum.cols - j),
                      sum.stride});
          }
        }
    for (std::size_t i = 0; symmetric && i < sum.rows; ++i)
      for (std::size_t j = i + 1; j < sum.cols; ++j) sum(i, j) = sum(j, i);
  }

 private:
  // What sticks out of the sum goes to a buffer.
  static void add_tile(const std::byte* a, const std::byte* b, std::size_t groups, MatrixView<std::int64_t> c) {
    if (c.rows == Kernel::kLeft && c.cols == Kernel::kRight) return Kernel::multiply(a, b, groups, c.data, c.stride);
    alignas(64) std::int64_t whole[Kernel::kLeft * Kernel::kRight] = {};
    Kernel::multiply(a, b, groups, whole, Kernel::kRight);
    for (std::size_t i = 0; i < c.rows; ++i)
      for (std::size_t j = 0; j < c.cols; ++j) c(i, j) += whole[i * Kernel::kRight + j];
  }
};

template <class Kernel>
constexpr ExactProduct exact_product_of(const char* name, bool (*available)(), bool in_code = false) {
  using Blocks = ExactBlocks<Kernel>;
  return {name, available, Blocks::bytes, Kernel::kGroup, Blocks::pack, Blocks::add, in_code};
}

// A group of a block made whole in plain loops: q[row][column], 0 where x has none.
template <std::size_t kRows, std::size_t kCols>
void whole_group(MatrixView<const float> x, float per_unit, std::int16_t (&q)[kRows][kCols]) {
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < kCols; ++j)
      q[i][j] = i < x.rows && j < x.cols ? std::int16_t(to_whole(x(i, j), per_unit)) : std::int16_t(0);
}

}  // namespace bochner::cpu
