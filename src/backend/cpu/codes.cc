// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/codes.h"

#include "backend/cpu/arm_units.h"
#include "backend/cpu/target_choice.h"
#include "backend/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/codes.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE std::uint32_t code_distance(const std::uint8_t* HWY_RESTRICT x, const std::uint8_t* HWY_RESTRICT y,
                                       std::size_t count) {
  const hn::CappedTag<std::uint8_t, CodeRows::kWidth> d;
#if HWY_ARCH_ARM_A64
  uint32x4_t low = vdupq_n_u32(0), high = low;
  for (std::size_t j = 0; j < count; j += 16) {
    const uint8x16_t apart = vabdq_u8(vld1q_u8(x + j), vld1q_u8(y + j));
    low = vpadalq_u16(low, vmull_u8(vget_low_u8(apart), vget_low_u8(apart)));
    high = vpadalq_u16(high, vmull_high_u8(apart, apart));
  }
  (void)d;
  return vaddvq_u32(vaddq_u32(low, high));
#else
  const hn::Half<decltype(d)> half;
  const hn::RepartitionToWide<hn::RebindToSigned<decltype(d)> > d16;
  const hn::RepartitionToWide<decltype(d16)> d32;
  auto low = hn::Zero(d32), high = low;
  for (std::size_t j = 0; j < count; j += hn::Lanes(d)) {
    const auto a = hn::LoadU(d, x + j), b = hn::LoadU(d, y + j);
    const auto apart = hn::Or(hn::SaturatedSub(a, b), hn::SaturatedSub(b, a));
    const auto first = hn::PromoteTo(d16, hn::LowerHalf(half, apart));
    const auto second = hn::PromoteTo(d16, hn::UpperHalf(half, apart));
    low = hn::ReorderWidenMulAccumulate(d32, first, first, low, high);
    low = hn::ReorderWidenMulAccumulate(d32, second, second, low, high);
  }
  return std::uint32_t(hn::GetLane(hn::SumOfLanes(d32, hn::Add(low, high))));
#endif
}

void distances_of_codes(const std::uint8_t* x, const CodeRows& rows, std::span<const std::uint32_t> at,
                        std::uint32_t* squared) {
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (i + 4 < at.size()) hwy::Prefetch(rows.row(at[i + 4]));
    squared[i] = code_distance(x, rows.row(at[i]), rows.stride);
  }
}

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner {

namespace cpu {
HWY_EXPORT(distances_of_codes);

#ifdef BOCHNER_ARM_UNITS
namespace {

BOCHNER_DOTPROD void distances_by_dots(const std::uint8_t* x, const CodeRows& rows, std::span<const std::uint32_t> at,
                                       std::uint32_t* squared) {
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (i + 2 < at.size())
      for (std::size_t j = 0; j < rows.stride; j += 64) hwy::Prefetch(rows.row(at[i + 2]) + j);
    const std::uint8_t* y = rows.row(at[i]);
    uint32x4_t front = vdupq_n_u32(0), back = front;
    for (std::size_t j = 0; j < rows.stride; j += 32) {
      add_own_dots(front, vabdq_u8(vld1q_u8(x + j), vld1q_u8(y + j)));
      add_own_dots(back, vabdq_u8(vld1q_u8(x + j + 16), vld1q_u8(y + j + 16)));
    }
    squared[i] = vaddvq_u32(vaddq_u32(front, back));
  }
}

}  // namespace
#endif
}  // namespace cpu

void code_distances(const std::uint8_t* x, const CodeRows& rows, std::span<const std::uint32_t> at,
                    std::uint32_t* squared) {
  using namespace cpu;
#ifdef BOCHNER_ARM_UNITS
  static const bool by_dots = may_use("dotprod") && has_dotprod();
  if (by_dots) return distances_by_dots(x, rows, at, squared);
#endif
  HWY_DYNAMIC_DISPATCH(distances_of_codes)(x, rows, at, squared);
}

}  // namespace bochner
#endif
