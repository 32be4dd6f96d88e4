// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/sketched_gram.h"

#include <algorithm>
#include <cmath>

#include "backend/backend.h"
#include "backend/exact_product.h"
#include "folds/gram.h"
#include "run/host.h"

namespace bochner {

namespace {

constexpr std::size_t kPanelRows = 2048;  // rows of B that one product takes: its columns of one tile stay in the cache

constexpr std::size_t kAllChunks = std::size_t(1) << 32;

constexpr double kRatios[] = {2.5, 3, 4, 5, 6, 8, 10, 12};
constexpr double kProducts = 100e9;  // operations per second and core, multiply and add counted as two

}  // namespace

double sketched_passes(double ratio) { return std::log(1e4) / std::log(ratio); }

double sketch_ratio(double rows, double features) {
  const auto cost = [&](double ratio) {
    return ratio * features * features * features / kProducts +
           sketched_passes(ratio) * rows * features / kNumbersPassed;
  };
  double best = kRatios[0];
  for (double ratio : kRatios)
    if (ratio * features <= 0.5 * rows && cost(ratio) < cost(best)) best = ratio;
  return best;
}

// As float, and packed for the product in this processor's layout.
double sketch_panel_bytes(std::size_t features) {
  const std::size_t width = features + kKeptColumns;
  const Backend& ops = host_backend();
  const std::size_t packed = std::max(exact_product(ops).bytes(kPanelRows, width),
                                      ops.has_bfloat16() ? ops.bfloat16_bytes(kPanelRows, width) : 0);
  return double(kPanelRows) * double(width) * sizeof(float) + double(packed);
}

TiledSymmetric<double> sketched_gram(FeatureStore& store, const CountSketch::Places& places, const SketchOf& of,
                                     std::size_t panel_bytes, RoughGram::Numbers numbers) {
  const Workers on = store.stream().workers();
  const std::size_t size = store.features() + of.ones, buckets = places.buckets();
  KeptRows rows;
  rows.features = store.features();
  rows.width = store.width();
  rows.unit = store.unit();
  // Rows that lie in memory can be visited bucket by bucket; the others had better not be mapped often.
  std::size_t panels = 1;
  const bool in_memory = store.kept_rows() == store.rows();
  if (!in_memory) panels = std::max<std::size_t>(1, panel_bytes / (kPanelRows * rows.width * 4));
  TiledSymmetric<double> gram(size, GramFold::tile_for(size));
  RoughGram product(numbers);
  for (std::size_t first = 0; first < buckets; first += panels * kPanelRows) {
    const std::size_t count = std::min(panels * kPanelRows, buckets - first);
    CountSketch sketch(rows, places, of.weights, first, count, of.ones);
    FeatureStore::Wanted wanted;
    if (of.some)
      wanted = [&](std::size_t row) {
        const std::size_t bucket = CountSketch::Places::bucket(places.of(row));
        return of.weights[row] > 0 && bucket >= first && bucket < first + count;
      };
    store.each_batch(wanted, kAllChunks, "sketch",
                     [&]<class T>(std::span<const StoredRows<T>> chunks) { sketch.add(on, chunks); });
    const MatrixView<const float> b = sketch.about(on, of.mean);
    for (std::size_t begin = 0; begin < count; begin += kPanelRows)
      product.add(on, b.slice(begin, std::min(kPanelRows, count - begin)), gram);
  }
  return gram;
}

}  // namespace bochner
