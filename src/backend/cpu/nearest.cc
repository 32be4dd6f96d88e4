// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/nearest.h"

#include <algorithm>
#include <cmath>

#include "backend/cpu/operations.h"
#include "backend/cpu/targets.h"
#include "backend/place_point.h"
#include "base/aligned.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/nearest.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/cpu/points-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// products -> values, and whether any of a row's may stand among its best: a whole row of a tile is passed over by one
// comparison a vector.
HWY_INLINE bool values_of(const float* HWY_RESTRICT half, float worst, float* HWY_RESTRICT products) {
  const Tag<float> d;
  const auto limit = hn::Set(d, worst);
  bool any = false;
  for (std::size_t c = 0; c < kPanel; c += hn::Lanes(d)) {
    const auto value = hn::Sub(hn::LoadU(d, half + c), hn::LoadU(d, products + c));
    hn::StoreU(value, d, products + c);
    any |= !hn::AllFalse(d, hn::Le(value, limit));
  }
  return any;
}

void nearest_points(MatrixView<const float> x, const PointPanels<float>& y, const MetPoints& points,
                    const NearestView& best, float* packed, const float* half) {
  alignas(64) float tile[kTile];
  each_row_tile(x, y, packed, [&](std::size_t row, std::size_t rows, std::size_t p) {
    multiply_tile<float, tile_vectors<float>()>(packed, y.values.data() + p * y.inputs * kPanel, y.inputs, tile);
    const std::size_t columns = HWY_MIN(kPanel, y.count - p * kPanel);
    for (std::size_t r = 0; r < rows; ++r) {
      float* values = tile + r * kPanel;
      const NearestView to = best.slice(row + r);
      if (!values_of(half + p * kPanel, to.values[to.keep - 1], values)) continue;
      for (std::size_t c = 0; c < columns; ++c) {
        const std::uint32_t number = points.numbers[p * kPanel + c];
        if (values[c] <= to.values[to.keep - 1] && !(points.self && points.self[row + r] == number))
          place_point(values[c], number, to.keep, to.values, to.numbers);
      }
    }
  });
}

// Lane c of 16 sums the inputs c, c + 16, ...; then halves of the lanes are added: no vector's width matters.
HWY_INLINE double squared_distance(const float* HWY_RESTRICT x, const float* HWY_RESTRICT y, std::size_t inputs) {
  constexpr std::size_t kLanes = 16;
  const hn::CappedTag<double, kLanes> d;
  const hn::Rebind<float, decltype(d)> df;
  constexpr std::size_t kWidth = hn::MaxLanes(d), kVectors = kLanes / kWidth;
  hn::Vec<decltype(d)> sum[kVectors];
  unrolled<kVectors>([&](auto v) BOCHNER_INLINE { sum[v] = hn::Zero(d); });
  std::size_t j = 0;
  for (; j + kLanes <= inputs; j += kLanes)
    unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
      const auto difference = hn::Sub(hn::PromoteTo(d, hn::LoadU(df, x + j + v * kWidth)),
                                      hn::PromoteTo(d, hn::LoadU(df, y + j + v * kWidth)));
      sum[v] = fused_add(difference, difference, sum[v]);
    });
  HWY_ALIGN double lanes[kLanes];
  unrolled<kVectors>([&](auto v) BOCHNER_INLINE { hn::StoreU(sum[v], d, lanes + v * kWidth); });
  for (std::size_t c = 0; j < inputs; ++j, ++c) {
    const double difference = double(x[j]) - double(y[j]);
    lanes[c] = std::fma(difference, difference, lanes[c]);
  }
  for (std::size_t half = kLanes / 2; half > 0; half /= 2)
    for (std::size_t c = 0; c < half; ++c) lanes[c] += lanes[c + half];
  return lanes[0];
}

void distances_of(const float* x, MatrixView<const float> points, std::span<const std::uint32_t> at, double* squared) {
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (i + 2 < at.size()) hwy::Prefetch(points.row(at[i + 2]));
    squared[i] = squared_distance(x, points.row(at[i]), points.cols);
  }
}

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::cpu {

HWY_EXPORT(nearest_points);
HWY_EXPORT(distances_of);

void Operations::nearest(MatrixView<const float> x, const PointPanels<float>& y, const MetPoints& points,
                         const NearestView& best) {
  if (best.keep == 0) return;
  constexpr std::size_t kPanel = PointPanels<float>::kPanel, kPacked = 8;
  thread_local AlignedVector<float> packed, half;
  const std::size_t padded = (y.count + kPanel - 1) / kPanel * kPanel;
  if (packed.size() < y.inputs * kPacked) packed.resize(y.inputs * kPacked);
  if (half.size() < padded) half.resize(padded);
  std::copy(points.half, points.half + y.count, half.begin());
  std::fill(half.begin() + std::ptrdiff_t(y.count), half.begin() + std::ptrdiff_t(padded), 0.0f);
  HWY_DYNAMIC_DISPATCH(nearest_points)(x, y, points, best, packed.data(), half.data());
}

void Operations::squared_distances(const float* x, MatrixView<const float> points, std::span<const std::uint32_t> at,
                                   double* squared) {
  HWY_DYNAMIC_DISPATCH(distances_of)(x, points, at, squared);
}

}  // namespace bochner::cpu
#endif
