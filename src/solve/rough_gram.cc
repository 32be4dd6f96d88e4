// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "solve/rough_gram.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "backend/exact_product.h"
#include "backend/whole.h"

namespace bochner {

namespace {

// The columns of b that tiles K of g are made of.
MatrixView<const float> strip_of(MatrixView<const float> b, const TiledSymmetric<double>& g, std::size_t K) {
  return {b.data + K * g.tile(), b.rows, g.extent(K), b.stride};
}

float largest_entry(const Workers& on, MatrixView<const float> b, std::size_t cols) {
  std::vector<float> most(b.rows);
  on.threads.run(b.rows, [&](std::size_t i, int) {
    for (std::size_t j = 0; j < cols; ++j) {
      const float size = std::abs(b(i, j));
      if (!(size <= most[i])) most[i] = std::isfinite(size) ? size : std::numeric_limits<float>::infinity();
    }
  });
  return most.empty() ? 0 : *std::max_element(most.begin(), most.end());
}

std::size_t whole_lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

void RoughGram::add(const Workers& on, MatrixView<const float> b, TiledSymmetric<double>& g) {
  if (numbers_ == Numbers::whole) return add_whole(on, b, g);
  if (numbers_ == Numbers::bfloat16 && on.ops.has_bfloat16()) return add_bfloat16(on, b, g);
  on.threads.run(g.tile_count(), [&](std::size_t t, int) {
    const auto [I, J] = tile_index(g.tile_count() - 1 - t);
    on.ops.add_product(strip_of(b, g, I), strip_of(b, g, J), g.block(I, J));
  });
}

void RoughGram::add_bfloat16(const Workers& on, MatrixView<const float> b, TiledSymmetric<double>& g) {
  const std::size_t bytes = whole_lines(on.ops.bfloat16_bytes(b.rows, g.tile()));
  packed_.resize(bytes * g.tiles_per_side());
  on.threads.run(g.tiles_per_side(),
                 [&](std::size_t K, int) { on.ops.pack_bfloat16(strip_of(b, g, K), packed_.data() + K * bytes); });
  on.threads.run(g.tile_count(), [&](std::size_t t, int) {
    const auto [I, J] = tile_index(g.tile_count() - 1 - t);
    on.ops.add_bfloat16_product(packed_.data() + I * bytes, packed_.data() + J * bytes, b.rows, g.block(I, J));
  });
}

void RoughGram::add_whole(const Workers& on, MatrixView<const float> b, TiledSymmetric<double>& g) {
  const float most = largest_entry(on, b, g.size());
  const float per_unit = float(kMostWhole) / most;
  if (!std::isfinite(per_unit) || !(per_unit > 0)) {  // all are 0, too small, or no numbers: as they are
    if (most == 0) return;
    RoughGram(Numbers::floats).add(on, b, g);
    return;
  }
  const ExactProduct& product = exact_product(on.ops);
  const double unit = 1 / (double(per_unit) * double(per_unit));
  const std::size_t bytes = whole_lines(product.bytes(b.rows, g.tile()));
  packed_.resize(bytes * g.tiles_per_side());
  on.threads.run(g.tiles_per_side(),
                 [&](std::size_t K, int) { product.pack(strip_of(b, g, K), per_unit, packed_.data() + K * bytes); });
  on.threads.run(g.tile_count(), [&](std::size_t t, int) {
    const auto [I, J] = tile_index(g.tile_count() - 1 - t);
    const MatrixView<double> block = g.block(I, J);
    thread_local AlignedVector<std::int64_t> sums;
    sums.assign(block.rows * block.cols, 0);
    product.add(packed_.data() + I * bytes, packed_.data() + J * bytes, b.rows,
                {sums.data(), block.rows, block.cols, block.cols});
    for (std::size_t i = 0; i < block.rows; ++i)
      for (std::size_t j = 0; j < block.cols; ++j) block(i, j) += double(sums[i * block.cols + j]) * unit;
  });
}

}  // namespace bochner
