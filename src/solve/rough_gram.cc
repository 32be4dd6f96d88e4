// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "solve/rough_gram.h"

namespace bochner {

RoughGram::RoughGram(bool rounded) : rounded_(rounded) {}

void RoughGram::add(const Workers& on, MatrixView<const float> b, TiledSymmetric<double>& g) {
  const auto strip = [&](std::size_t K) {
    return MatrixView<const float>{b.data + K * g.tile(), b.rows, g.extent(K), b.stride};
  };
  if (!rounded_ || !on.ops.has_bfloat16()) {
    on.threads.run(g.tile_count(), [&](std::size_t t, int) {
      const auto [I, J] = tile_index(g.tile_count() - 1 - t);
      on.ops.add_product(strip(I), strip(J), g.block(I, J));
    });
    return;
  }
  const std::size_t bytes = (on.ops.bfloat16_bytes(b.rows, g.tile()) + 63) / 64 * 64;
  packed_.resize(bytes * g.tiles_per_side());
  on.threads.run(g.tiles_per_side(),
                 [&](std::size_t K, int) { on.ops.pack_bfloat16(strip(K), packed_.data() + K * bytes); });
  on.threads.run(g.tile_count(), [&](std::size_t t, int) {
    const auto [I, J] = tile_index(g.tile_count() - 1 - t);
    on.ops.add_bfloat16_product(packed_.data() + I * bytes, packed_.data() + J * bytes, b.rows, g.block(I, J));
  });
}

}  // namespace bochner
