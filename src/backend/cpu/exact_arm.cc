// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Exact products by Arm's dot products of digits: SMMLA (2 x 8 by 8 x 2) and SDOT (4 sums of 4). The instruction sets
// are asked for function by function and only called where the processor has them.

#include "backend/cpu/arm_units.h"
#include "backend/cpu/exact_blocks.h"
#include "backend/cpu/exact_units.h"

namespace bochner::cpu {

#ifdef BOCHNER_ARM_UNITS
namespace {

// Two sums from their three terms, added to c. The last two terms fit int32 together, see backend/whole.h.
inline void add_two(int32x2_t high, int32x2_t rest, std::int64_t* c) {
  vst1q_s64(c, vaddq_s64(vld1q_s64(c), vaddw_s32(vshll_n_s32(high, 14), rest)));
}

// Digits of 8 rows of 8 columns: high[j] and low[j] have rows 0 to 7 of column j.
struct EightDigits {
  int8x8_t high[8], low[8];

  EightDigits(const float* x, std::size_t stride, float per_unit) {
    const float32x4_t factor = vdupq_n_f32(per_unit), most = vdupq_n_f32(float(kMostWhole));
    const auto whole = [&](const float* from) {
      const float32x4_t scaled = vmulq_f32(vld1q_f32(from), factor);
      return vmovn_s32(vcvtnq_s32_f32(vmaxq_f32(vminq_f32(scaled, most), vnegq_f32(most))));
    };
    int16x8_t q[8];
    for (std::size_t i = 0; i < 8; ++i) q[i] = vcombine_s16(whole(x + i * stride), whole(x + i * stride + 4));
    transpose(q);
    for (std::size_t j = 0; j < 8; ++j) {
      high[j] = vrshrn_n_s16(q[j], 7);
      low[j] = vmovn_s16(vsubq_s16(q[j], vshll_n_s8(high[j], 7)));
    }
  }

  static void transpose(int16x8_t (&q)[8]) {
    int16x8_t pairs[8];
    for (std::size_t i = 0; i < 4; ++i) {
      pairs[2 * i] = vtrn1q_s16(q[2 * i], q[2 * i + 1]);
      pairs[2 * i + 1] = vtrn2q_s16(q[2 * i], q[2 * i + 1]);
    }
    int32x4_t fours[8];  // fours[4 h + c]: rows 4 h to 4 h + 3 of columns c and c + 4
    for (std::size_t h = 0; h < 2; ++h)
      for (std::size_t c = 0; c < 2; ++c) {
        const int32x4_t a = vreinterpretq_s32_s16(pairs[4 * h + c]), b = vreinterpretq_s32_s16(pairs[4 * h + 2 + c]);
        fours[4 * h + c] = vtrn1q_s32(a, b);
        fours[4 * h + c + 2] = vtrn2q_s32(a, b);
      }
    for (std::size_t c = 0; c < 4; ++c) {
      const int64x2_t a = vreinterpretq_s64_s32(fours[c]), b = vreinterpretq_s64_s32(fours[4 + c]);
      q[c] = vreinterpretq_s16_s64(vtrn1q_s64(a, b));
      q[c + 4] = vreinterpretq_s16_s64(vtrn2q_s64(a, b));
    }
  }
};

// Those of x, 0 where it has none.
inline EightDigits digits_of(MatrixView<const float> x, float per_unit) {
  if (x.rows == 8 && x.cols == 8) return EightDigits(x.data, x.stride, per_unit);
  float whole[8 * 8] = {};
  for (std::size_t i = 0; i < x.rows; ++i) std::copy_n(x.row(i), x.cols, whole + 8 * i);
  return EightDigits(whole, 8, per_unit);
}

// Layout of a group of 8 rows: 4 pairs of columns, each 2 columns x 8 rows, of high digits and then of low ones.
struct I8mmKernel {
  static constexpr std::size_t kLeft = 4, kRight = 8, kGroup = 8, kUnit = 128, kStep = 32, kDepth = kExactDepth;

  // 24 sums, 4 left vectors and 2 right ones: 12 loads for 32 instructions.
  BOCHNER_I8MM static void multiply(const std::byte* left, const std::byte* right, std::size_t groups, std::int64_t* c,
                                    std::size_t stride) {
    const auto* a = reinterpret_cast<const std::int8_t*>(left);
    const auto* b = reinterpret_cast<const std::int8_t*>(right);
    int32x4_t high[2][4], middle[2][4], low[2][4];
    for (std::size_t p = 0; p < 2; ++p)
      for (std::size_t q = 0; q < 4; ++q) high[p][q] = middle[p][q] = low[p][q] = vdupq_n_s32(0);
    for (std::size_t g = 0; g < groups; ++g, a += kUnit, b += kUnit) {
      const int8x16_t high_0 = vld1q_s8(a), high_1 = vld1q_s8(a + 16);
      const int8x16_t low_0 = vld1q_s8(a + 64), low_1 = vld1q_s8(a + 80);
#pragma GCC unroll 4
      for (std::size_t q = 0; q < 4; ++q) {
        const int8x16_t high_b = vld1q_s8(b + 16 * q);
        add_squares(high[0][q], high_0, high_b);
        add_squares(high[1][q], high_1, high_b);
        add_squares(middle[0][q], low_0, high_b);
        add_squares(middle[1][q], low_1, high_b);
        const int8x16_t low_b = vld1q_s8(b + 64 + 16 * q);
        add_squares(low[0][q], low_0, low_b);
        add_squares(low[1][q], low_1, low_b);
        add_squares(middle[0][q], high_0, low_b);
        add_squares(middle[1][q], high_1, low_b);
      }
    }
    for (std::size_t p = 0; p < 2; ++p)
      for (std::size_t q = 0; q < 4; ++q) {
        const int32x4_t rest = vaddq_s32(vshlq_n_s32(middle[p][q], 7), low[p][q]);
        std::int64_t* to = c + 2 * p * stride + 2 * q;
        add_two(vget_low_s32(high[p][q]), vget_low_s32(rest), to);
        add_two(vget_high_s32(high[p][q]), vget_high_s32(rest), to + stride);
      }
  }

  static void put(MatrixView<const float> x, float per_unit, std::byte* unit) {
    const EightDigits digits = digits_of(x, per_unit);
    auto* to = reinterpret_cast<std::int8_t*>(unit);
    for (std::size_t j = 0; j < 8; ++j) {
      vst1_s8(to + 8 * j, digits.high[j]);
      vst1_s8(to + 64 + 8 * j, digits.low[j]);
    }
  }
};

// Layout of a group of 8 rows, its first 4 rows and then its last 4: 8 columns x 4 rows of high digits, and of low.
struct DotprodKernel {
  static constexpr std::size_t kLeft = 4, kRight = 8, kGroup = 8, kUnit = 128, kStep = 16, kDepth = kExactDepth;

  BOCHNER_DOTPROD static void multiply(const std::byte* left, const std::byte* right, std::size_t groups,
                                       std::int64_t* c, std::size_t stride) {
    const auto* a = reinterpret_cast<const std::int8_t*>(left);
    const auto* b = reinterpret_cast<const std::int8_t*>(right);
    int32x4_t high[4][2], middle[4][2], low[4][2];
    for (std::size_t p = 0; p < 4; ++p)
      for (std::size_t q = 0; q < 2; ++q) high[p][q] = middle[p][q] = low[p][q] = vdupq_n_s32(0);
    for (std::size_t g = 0; g < 2 * groups; ++g, a += kUnit / 2, b += kUnit / 2) {
      const int8x16_t high_a = vld1q_s8(a), low_a = vld1q_s8(a + 32);
#pragma GCC unroll 2
      for (std::size_t q = 0; q < 2; ++q) {
        const int8x16_t high_b = vld1q_s8(b + 16 * q), low_b = vld1q_s8(b + 32 + 16 * q);
        add_dots<0>(high[0][q], high_a, high_b);
        add_dots<1>(high[1][q], high_a, high_b);
        add_dots<2>(high[2][q], high_a, high_b);
        add_dots<3>(high[3][q], high_a, high_b);
        add_dots<0>(middle[0][q], low_a, high_b);
        add_dots<1>(middle[1][q], low_a, high_b);
        add_dots<2>(middle[2][q], low_a, high_b);
        add_dots<3>(middle[3][q], low_a, high_b);
        add_dots<0>(low[0][q], low_a, low_b);
        add_dots<1>(low[1][q], low_a, low_b);
        add_dots<2>(low[2][q], low_a, low_b);
        add_dots<3>(low[3][q], low_a, low_b);
        add_dots<0>(middle[0][q], high_a, low_b);
        add_dots<1>(middle[1][q], high_a, low_b);
        add_dots<2>(middle[2][q], high_a, low_b);
        add_dots<3>(middle[3][q], high_a, low_b);
      }
    }
    for (std::size_t p = 0; p < 4; ++p)
      for (std::size_t q = 0; q < 2; ++q) {
        const int32x4_t rest = vaddq_s32(vshlq_n_s32(middle[p][q], 7), low[p][q]);
        std::int64_t* to = c + p * stride + 4 * q;
        add_two(vget_low_s32(high[p][q]), vget_low_s32(rest), to);
        add_two(vget_high_s32(high[p][q]), vget_high_s32(rest), to + 2);
      }
  }

  static void put(MatrixView<const float> x, float per_unit, std::byte* unit) {
    const EightDigits digits = digits_of(x, per_unit);
    auto* to = reinterpret_cast<std::uint32_t*>(unit);
    for (std::size_t j = 0; j < 8; ++j) {
      const uint32x2_t high = vreinterpret_u32_s8(digits.high[j]), low = vreinterpret_u32_s8(digits.low[j]);
      vst1_lane_u32(to + j, high, 0);
      vst1_lane_u32(to + 8 + j, low, 0);
      vst1_lane_u32(to + 16 + j, high, 1);
      vst1_lane_u32(to + 24 + j, low, 1);
    }
  }
};

}  // namespace

const ExactProduct kExactI8mm = exact_product_of<I8mmKernel>("i8mm", has_i8mm);
const ExactProduct kExactDotprod = exact_product_of<DotprodKernel>("dotprod", has_dotprod);

#else

namespace {
bool never() { return false; }
}  // namespace

const ExactProduct kExactI8mm = {"i8mm", never, nullptr, 1, nullptr, nullptr};
const ExactProduct kExactDotprod = {"dotprod", never, nullptr, 1, nullptr, nullptr};

#endif

}  // namespace bochner::cpu
