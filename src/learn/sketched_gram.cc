// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/sketched_gram.h"

#include <algorithm>

#include "backend/cpu/blas.h"
#include "folds/count_sketch.h"
#include "folds/gram.h"

namespace bochner {

namespace {

constexpr std::size_t kPanelRows = 2048;  // of B that one product takes: its columns of one tile stay in the cache

// G += B^T B, tile by tile.
void add_gram(const Workers& on, MatrixView<const float> b, TiledSymmetric<double>& g) {
  on.threads.run(g.tile_count(), [&](std::size_t t, int) {
    thread_local AlignedVector<float> scratch;
    const auto [I, J] = tile_index(g.tile_count() - 1 - t);
    const MatrixView<double> tile = g.block(I, J);
    const auto columns = [&](std::size_t K) {
      return MatrixView<const float>{b.data + K * g.tile(), b.rows, g.extent(K), b.stride};
    };
    scratch.resize(g.tile() * g.tile());
    const MatrixView<float> product{scratch.data(), tile.rows, tile.cols, tile.cols};
    blas::gemm(blas::Op::transposed, blas::Op::plain, 1.0f, columns(I), columns(J), 0.0f, product);
    for (std::size_t i = 0; i < tile.rows; ++i)
      for (std::size_t j = 0; j < tile.cols; ++j) tile(i, j) += double(product(i, j));
  });
}

}  // namespace

TiledSymmetric<double> sketched_gram(FeatureCache& cache, const KeptRows& rows, const std::vector<double>& mean,
                                     std::uint64_t seed, std::size_t panel_bytes) {
  const Workers on = cache.stream().workers();
  const auto buckets = std::size_t(kSketchRatio * double(rows.features));
  // Rows that lie in memory can be visited bucket by bucket; the others had better not be mapped often.
  std::size_t panels = 1;
  if (cache.kept_rows() < cache.rows()) panels = std::max<std::size_t>(1, panel_bytes / (kPanelRows * rows.width * 4));
  TiledSymmetric<double> gram(rows.features, GramFold::tile_for(rows.features));
  for (std::size_t first = 0; first < buckets; first += panels * kPanelRows) {
    const std::size_t count = std::min(panels * kPanelRows, buckets - first);
    CountSketch sketch = cache.fold(CountSketch(rows, buckets, first, count, seed), "sketch");
    const MatrixView<const float> b = sketch.about(on, mean);
    for (std::size_t begin = 0; begin < count; begin += kPanelRows)
      add_gram(on, b.slice(begin, std::min(kPanelRows, count - begin)), gram);
  }
  return gram;
}

}  // namespace bochner
