// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/some_values.h"

#include "backend/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/some_values.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/cpu/fused-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Four points at a time, a lane each: one chain of additions a pair, as in a tile of products.
void values_of_some(const float* x, MatrixView<const float> points, const float* half,
                    std::span<const std::uint32_t> at, float* values) {
  const hn::CappedTag<float, 4> d;
  constexpr std::size_t kLanes = hn::MaxLanes(d);
  for (std::size_t i = 0; i < at.size(); i += kLanes) {
    const float* row[kLanes];
    HWY_ALIGN float some[kLanes];
    for (std::size_t c = 0; c < kLanes; ++c) {
      const std::uint32_t place = at[HWY_MIN(i + c, at.size() - 1)];
      row[c] = points.row(place);
      some[c] = half[place];
    }
    const auto halves = hn::Load(d, some);
    auto sum = hn::Zero(d);
    for (std::size_t j = 0; j < points.cols; ++j) {
      for (std::size_t c = 0; c < kLanes; ++c) some[c] = row[c][j];
      sum = fused_add(hn::Set(d, x[j]), hn::Load(d, some), sum);
    }
    hn::Store(hn::Sub(halves, sum), d, some);
    for (std::size_t c = 0; c < kLanes && i + c < at.size(); ++c) values[i + c] = some[c];
  }
}

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner {

namespace cpu {
HWY_EXPORT(values_of_some);
}  // namespace cpu

void some_values(const float* x, MatrixView<const float> points, const float* half, std::span<const std::uint32_t> at,
                 float* values) {
  using namespace cpu;
  HWY_DYNAMIC_DISPATCH(values_of_some)(x, points, half, at, values);
}

}  // namespace bochner
#endif
