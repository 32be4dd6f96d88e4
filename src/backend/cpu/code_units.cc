// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cstring>

#include "backend/cpu/arm_units.h"
#include "backend/cpu/target_choice.h"
#include "backend/cpu/targets.h"
#include "backend/nearest_codes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/code_units.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/cpu/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kCodeRows = CodeUnit::kRows;
static_assert(CodeUnit::kPanel == kPanel);

#if HWY_ARCH_ARM_A64

// Two inputs at a time: their products fit 16 bits, and are added in pairs.
void multiply_codes(const std::int8_t* const* x, const std::int8_t* panel, const std::int32_t* start, std::size_t depth,
                    std::int32_t* tile) {
  int32x4_t sum[kCodeRows][4];
  unrolled<4 * kCodeRows>([&](auto i) BOCHNER_INLINE { sum[i / 4][i % 4] = vld1q_s32(start + i % 4 * 4); });
  for (std::size_t j = 0; j < depth; j += 2, panel += 2 * kPanel) {
    const int8x16_t left = vld1q_s8(panel), right = vld1q_s8(panel + kPanel);
    unrolled<kCodeRows>([&](auto r) BOCHNER_INLINE {
      std::int16_t two;
      std::memcpy(&two, x[r] + j, sizeof two);
      const int8x16_t pair = vreinterpretq_s8_s16(vdupq_n_s16(two));
      sum[r][0] = vpadalq_s16(sum[r][0], vmull_s8(vget_low_s8(left), vget_low_s8(pair)));
      sum[r][1] = vpadalq_s16(sum[r][1], vmull_high_s8(left, pair));
      sum[r][2] = vpadalq_s16(sum[r][2], vmull_s8(vget_low_s8(right), vget_low_s8(pair)));
      sum[r][3] = vpadalq_s16(sum[r][3], vmull_high_s8(right, pair));
    });
  }
  unrolled<4 * kCodeRows>([&](auto i)
                              BOCHNER_INLINE { vst1q_s32(tile + i / 4 * kPanel + i % 4 * 4, sum[i / 4][i % 4]); });
}

#else

// Two inputs at a time, as 16 bits: their products are added in pairs.
void multiply_codes(const std::int8_t* const* x, const std::int8_t* panel, const std::int32_t* start, std::size_t depth,
                    std::int32_t* tile) {
  const hn::CappedTag<std::int32_t, kPanel> d;
  const hn::Repartition<std::int16_t, decltype(d)> d16;
  const hn::Rebind<std::int8_t, decltype(d16)> d8;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t kLanes = hn::MaxLanes(d), kVectors = kPanel / kLanes;
  for (std::size_t begin = 0; begin < kCodeRows; begin += kCodeRows / 2) {
    V sum[kCodeRows / 2][kVectors];
    unrolled<kCodeRows / 2>([&](auto r) BOCHNER_INLINE {
      unrolled<kVectors>([&](auto v) BOCHNER_INLINE { sum[r][v] = hn::LoadU(d, start + v * kLanes); });
    });
    const std::int8_t* y = panel;
    for (std::size_t j = 0; j < depth; j += 2, y += 2 * kPanel) {
      hn::Vec<decltype(d16)> points[kVectors];
      unrolled<kVectors>(
          [&](auto v) BOCHNER_INLINE { points[v] = hn::PromoteTo(d16, hn::LoadU(d8, y + v * hn::MaxLanes(d16))); });
      unrolled<kCodeRows / 2>([&](auto r) BOCHNER_INLINE {
        const auto low = std::uint16_t(std::int16_t(x[begin + r][j]));
        const auto high = std::uint16_t(std::int16_t(x[begin + r][j + 1]));
        const auto pair = hn::BitCast(d16, hn::Set(d, std::int32_t(std::uint32_t(high) << 16 | low)));
        V none = hn::Zero(d);
        unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
          sum[r][v] = hn::ReorderWidenMulAccumulate(d, pair, points[v], sum[r][v], none);
        });
      });
    }
    unrolled<kCodeRows / 2>([&](auto r) BOCHNER_INLINE {
      unrolled<kVectors>([&](auto v)
                             BOCHNER_INLINE { hn::StoreU(sum[r][v], d, tile + (begin + r) * kPanel + v * kLanes); });
    });
  }
}

#endif

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner {

namespace cpu {
HWY_EXPORT(multiply_codes);

namespace {

#ifdef BOCHNER_ARM_UNITS
// Four inputs at a time.
BOCHNER_DOTPROD void multiply_by_dots(const std::int8_t* const* x, const std::int8_t* panel, const std::int32_t* start,
                                      std::size_t depth, std::int32_t* tile) {
  int32x4_t sum[4][4];
#pragma GCC unroll 4
  for (std::size_t r = 0; r < 4; ++r)
#pragma GCC unroll 4
    for (std::size_t q = 0; q < 4; ++q) sum[r][q] = vld1q_s32(start + 4 * q);
  for (std::size_t j = 0; j < depth; j += 16, panel += 256) {
    const int8x16_t row_0 = vld1q_s8(x[0] + j), row_1 = vld1q_s8(x[1] + j);
    const int8x16_t row_2 = vld1q_s8(x[2] + j), row_3 = vld1q_s8(x[3] + j);
#pragma GCC unroll 4
    for (std::size_t q = 0; q < 4; ++q) {
      const std::int8_t* from = panel + 16 * q;
      const int8x16_t points_0 = vld1q_s8(from), points_1 = vld1q_s8(from + 64);
      add_dots<0>(sum[0][q], row_0, points_0);
      add_dots<0>(sum[1][q], row_1, points_0);
      add_dots<0>(sum[2][q], row_2, points_0);
      add_dots<0>(sum[3][q], row_3, points_0);
      add_dots<1>(sum[0][q], row_0, points_1);
      add_dots<1>(sum[1][q], row_1, points_1);
      add_dots<1>(sum[2][q], row_2, points_1);
      add_dots<1>(sum[3][q], row_3, points_1);
      const int8x16_t points_2 = vld1q_s8(from + 128), points_3 = vld1q_s8(from + 192);
      add_dots<2>(sum[0][q], row_0, points_2);
      add_dots<2>(sum[1][q], row_1, points_2);
      add_dots<2>(sum[2][q], row_2, points_2);
      add_dots<2>(sum[3][q], row_3, points_2);
      add_dots<3>(sum[0][q], row_0, points_3);
      add_dots<3>(sum[1][q], row_1, points_3);
      add_dots<3>(sum[2][q], row_2, points_3);
      add_dots<3>(sum[3][q], row_3, points_3);
    }
  }
#pragma GCC unroll 4
  for (std::size_t r = 0; r < 4; ++r)
#pragma GCC unroll 4
    for (std::size_t q = 0; q < 4; ++q) vst1q_s32(tile + 16 * r + 4 * q, sum[r][q]);
}

// Eight inputs at a time, of two rows and two points: a sum holds both of the first row, then both of the second.
BOCHNER_I8MM void multiply_by_squares(const std::int8_t* const* x, const std::int8_t* panel, const std::int32_t* start,
                                      std::size_t depth, std::int32_t* tile) {
  int32x4_t sum[2][8];
#pragma GCC unroll 8
  for (std::size_t q = 0; q < 8; ++q) {
    const int32x2_t two = vld1_s32(start + 2 * q);
    sum[0][q] = sum[1][q] = vcombine_s32(two, two);
  }
  for (std::size_t j = 0; j < depth; j += 8, panel += 128) {
    const int8x16_t rows_0 = vcombine_s8(vld1_s8(x[0] + j), vld1_s8(x[1] + j));
    const int8x16_t rows_1 = vcombine_s8(vld1_s8(x[2] + j), vld1_s8(x[3] + j));
#pragma GCC unroll 8
    for (std::size_t q = 0; q < 8; ++q) {
      const int8x16_t points = vld1q_s8(panel + 16 * q);
      add_squares(sum[0][q], rows_0, points);
      add_squares(sum[1][q], rows_1, points);
    }
  }
#pragma GCC unroll 2
  for (std::size_t r = 0; r < 2; ++r)
#pragma GCC unroll 4
    for (std::size_t q = 0; q < 4; ++q) {
      const int64x2_t left = vreinterpretq_s64_s32(sum[r][2 * q]), right = vreinterpretq_s64_s32(sum[r][2 * q + 1]);
      vst1q_s32(tile + 32 * r + 4 * q, vreinterpretq_s32_s64(vtrn1q_s64(left, right)));
      vst1q_s32(tile + 32 * r + 16 + 4 * q, vreinterpretq_s32_s64(vtrn2q_s64(left, right)));
    }
}
#endif

bool always() { return true; }
void multiply(const std::int8_t* const* x, const std::int8_t* panel, const std::int32_t* start, std::size_t depth,
              std::int32_t* tile) {
  HWY_DYNAMIC_DISPATCH(multiply_codes)(x, panel, start, depth, tile);
}
constexpr CodeUnit kVectorUnit{"vectors", always, 2, multiply};

}  // namespace
}  // namespace cpu

std::span<const CodeUnit* const> code_units() {
#ifdef BOCHNER_ARM_UNITS
  static constexpr CodeUnit kDotUnit{"dotprod", cpu::has_dotprod, 4, cpu::multiply_by_dots};
  static constexpr CodeUnit kSquareUnit{"i8mm", cpu::has_i8mm, 8, cpu::multiply_by_squares};
  static constexpr const CodeUnit* kUnits[] = {&kSquareUnit, &kDotUnit, &cpu::kVectorUnit};
#else
  static constexpr const CodeUnit* kUnits[] = {&cpu::kVectorUnit};
#endif
  return kUnits;
}

const CodeUnit& code_unit() {
  static const CodeUnit& chosen = []() -> const CodeUnit& {
    for (const CodeUnit* unit : code_units())
      if (unit == code_units().back() || (cpu::may_use(unit->name) && unit->available())) return *unit;
    return *code_units().back();
  }();
  return chosen;
}

}  // namespace bochner
#endif
