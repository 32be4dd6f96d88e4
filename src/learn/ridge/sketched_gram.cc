// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/ridge/sketched_gram.h"

#include <algorithm>
#include <cmath>

#include "backend/backend.h"
#include "folds/count_sketch.h"
#include "folds/gram.h"
#include "run/compute.h"
#include "solve/rough_gram.h"

namespace bochner {

namespace {

constexpr std::size_t kPanelRows = 2048;  // of B that one product takes: its columns of one tile stay in the cache

constexpr double kRatios[] = {2.5, 3, 4, 5, 6, 8, 10, 12};
constexpr double kProducts = 100e9;  // per second and core, multiply and add counted as two

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

// As float, and as bfloat16 in this processor's layout where it multiplies that.
double sketch_panel_bytes(std::size_t features) {
  const std::size_t width = features + kKeptColumns;
  const Backend& ops = backend_of(Device::cpu);
  const std::size_t packed = ops.has_bfloat16() ? ops.bfloat16_bytes(kPanelRows, width) : 0;
  return double(kPanelRows) * double(width) * sizeof(float) + double(packed);
}

TiledSymmetric<double> sketched_gram(FeatureCache& cache, const KeptRows& rows, const std::vector<double>& mean,
                                     std::uint64_t seed, std::size_t panel_bytes) {
  const Workers on = cache.stream().workers();
  const auto buckets = std::size_t(sketch_ratio(double(rows.rows), double(rows.features)) * double(rows.features));
  // Rows that lie in memory can be visited bucket by bucket; the others had better not be mapped often.
  std::size_t panels = 1;
  const bool in_memory = cache.kept_rows() == cache.rows();
  if (!in_memory) panels = std::max<std::size_t>(1, panel_bytes / (kPanelRows * rows.width * 4));
  TiledSymmetric<double> gram(rows.features, GramFold::tile_for(rows.features));
  RoughGram product;
  const CountSketch::Places places(on, rows.rows, buckets, seed, in_memory);
  for (std::size_t first = 0; first < buckets; first += panels * kPanelRows) {
    const std::size_t count = std::min(panels * kPanelRows, buckets - first);
    CountSketch sketch(rows, places, first, count);
    cache.each("sketch", [&](const auto& block) { sketch.add(on, block); });
    const MatrixView<const float> b = sketch.about(on, mean);
    for (std::size_t begin = 0; begin < count; begin += kPanelRows)
      product.add(on, b.slice(begin, std::min(kPanelRows, count - begin)), gram);
  }
  return gram;
}

}  // namespace bochner
