// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Exact products by vectors of 16-bit whole numbers, on every processor. 8 products of two numbers fit int32: after
// every 8 rows they move on to wider sums.

#include "backend/cpu/exact_units.h"
#include "backend/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/exact_vectors.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/cpu/exact_blocks.h"
#include "backend/cpu/tile-inl.h"

#ifndef BOCHNER_EXACT_VECTORS_ONCE
#define BOCHNER_EXACT_VECTORS_ONCE
namespace bochner::cpu {
constexpr std::size_t kVectorGroup = 8;  // rows, on every target
}
#endif

HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The largest sum of 8 products.
static_assert(8ll * kMostWhole * kMostWhole < 1ll << 31);

// Row by row, vectors of the columns that there are.
template <std::size_t kRows, std::size_t kCols>
void whole_rows(MatrixView<const float> x, float per_unit, std::int16_t (&q)[kRows][kCols]) {
  const hn::CappedTag<float, 8> d;
  const hn::Rebind<std::int16_t, decltype(d)> d16;
  const auto factor = hn::Set(d, per_unit), most = hn::Set(d, float(kMostWhole));
  if (x.rows < kRows || x.cols < kCols) return whole_group(x, per_unit, q);
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < kCols; j += hn::Lanes(d)) {
      const auto scaled = hn::Mul(hn::LoadU(d, x.row(i) + j), factor);
      const auto clamped = hn::Max(hn::Min(scaled, most), hn::Neg(most));
      hn::StoreU(hn::DemoteTo(d16, hn::NearestInt(clamped)), d16, q[i] + j);
    }
}

#if HWY_ARCH_ARM_A64

// Layout of a group of 8 rows: row after row of 8 columns.
struct VectorKernel {
  static constexpr std::size_t kLeft = 4, kRight = 8, kGroup = 8, kUnit = 128, kStep = 8, kDepth = kExactDepth;

  static HWY_NOINLINE void multiply(const std::byte* left, const std::byte* right, std::size_t groups, std::int64_t* c,
                                    std::size_t stride) {
    const auto* a = reinterpret_cast<const std::int16_t*>(left);
    const auto* b = reinterpret_cast<const std::int16_t*>(right);
    int64x2_t sum[4][4];
    unrolled<16>([&](auto i) BOCHNER_INLINE { sum[i / 4][i % 4] = vdupq_n_s64(0); });
    for (std::size_t g = 0; g < groups; ++g, a += 64, b += 64) {
      int16x8_t row_b[8];
      int16x4_t row_a[8];
      unrolled<8>([&](auto k) BOCHNER_INLINE {
        row_b[k] = vld1q_s16(b + 8 * k);
        row_a[k] = vld1_s16(a + 8 * k);
      });
      unrolled<4>([&](auto i) BOCHNER_INLINE {
        constexpr int kLane = int(decltype(i)::value);
        int32x4_t front = vmull_lane_s16(vget_low_s16(row_b[0]), row_a[0], kLane);
        int32x4_t back = vmull_high_lane_s16(row_b[0], row_a[0], kLane);
        unrolled<7>([&](auto k) BOCHNER_INLINE {
          front = vmlal_lane_s16(front, vget_low_s16(row_b[k + 1]), row_a[k + 1], kLane);
          back = vmlal_high_lane_s16(back, row_b[k + 1], row_a[k + 1], kLane);
        });
        sum[i][0] = vaddw_s32(sum[i][0], vget_low_s32(front));
        sum[i][1] = vaddw_high_s32(sum[i][1], front);
        sum[i][2] = vaddw_s32(sum[i][2], vget_low_s32(back));
        sum[i][3] = vaddw_high_s32(sum[i][3], back);
      });
    }
    unrolled<16>([&](auto i) BOCHNER_INLINE {
      std::int64_t* to = c + i / 4 * stride + i % 4 * 2;
      vst1q_s64(to, vaddq_s64(vld1q_s64(to), sum[i / 4][i % 4]));
    });
  }

  static void put(MatrixView<const float> x, float per_unit, std::byte* unit) {
    whole_rows(x, per_unit, *reinterpret_cast<std::int16_t(*)[8][8]>(unit));
  }
};

#else

// Layout of a group of 8 rows: 4 pairs of rows, each two vectors of columns x 2 rows. A pair of the left side is read
// into all lanes. The wide sums are two of int32: of what is above the lower 15 bits, and of all of it modulo 2^32,
// which says what those bits come to.
struct VectorKernel {
  using D32 = hn::CappedTag<std::int32_t, 16>;
  using V32 = hn::Vec<D32>;
  static constexpr std::size_t kLanes = hn::MaxLanes(D32());
  static constexpr std::size_t kLeft = kManyRegisters ? 4 : 2, kRight = 2 * kLanes, kGroup = 8;
  static constexpr std::size_t kUnit = kGroup * kRight * sizeof(std::int16_t), kStep = 4 * kLeft;
  static constexpr std::size_t kDepth = std::min(kExactDepth, 8192 / kLanes);  // a block of the right side: 32 KiB

  // Sums of two neighbouring products.
  static HWY_INLINE V32 dots(V32 a, V32 b) {
#if HWY_TARGET <= HWY_AVX3
    return V32{_mm512_madd_epi16(a.raw, b.raw)};
#elif HWY_TARGET == HWY_AVX2
    return V32{_mm256_madd_epi16(a.raw, b.raw)};
#else
    return V32{_mm_madd_epi16(a.raw, b.raw)};
#endif
  }

  // One sum after the other: g++ would rather add them in pairs, for which there are too few registers.
  static HWY_INLINE V32 add_next(V32 sum, V32 dot) {
    sum = hn::Add(sum, dot);
    asm("" : "+v"(sum.raw));
    return sum;
  }

  static HWY_NOINLINE void multiply(const std::byte* left, const std::byte* right, std::size_t groups, std::int64_t* c,
                                    std::size_t stride) {
    static_assert(kExactDepth / kGroup << 15 < 1ll << 31);  // the lower bits of that many sums
    const D32 d;
    const auto* a = reinterpret_cast<const std::int32_t*>(left);
    const auto* b = reinterpret_cast<const std::int32_t*>(right);
    V32 above[kLeft][2], whole[kLeft][2];
    unrolled<2 * kLeft>([&](auto i) BOCHNER_INLINE { above[i / 2][i % 2] = whole[i / 2][i % 2] = hn::Zero(d); });
    for (std::size_t g = 0; g < groups; ++g, a += 4 * kRight, b += 4 * kRight)
      unrolled<kLeft / 2>([&](auto half) BOCHNER_INLINE {
        V32 sum[2][2];
        unrolled<4>([&](auto k) BOCHNER_INLINE {
          const V32 b0 = hn::LoadU(d, b + k * kRight), b1 = hn::LoadU(d, b + k * kRight + kLanes);
          unrolled<2>([&](auto i) BOCHNER_INLINE {
            const V32 pair = hn::Set(d, a[k * kRight + 2 * half + i]);
            const V32 dot0 = dots(pair, b0), dot1 = dots(pair, b1);
            sum[i][0] = k == 0 ? dot0 : add_next(sum[i][0], dot0);
            sum[i][1] = k == 0 ? dot1 : add_next(sum[i][1], dot1);
          });
        });
        unrolled<4>([&](auto i) BOCHNER_INLINE {
          V32& to_above = above[2 * half + i / 2][i % 2];
          V32& to_whole = whole[2 * half + i / 2][i % 2];
          to_above = hn::Add(to_above, hn::ShiftRight<15>(sum[i / 2][i % 2]));
          to_whole = hn::Add(to_whole, sum[i / 2][i % 2]);
        });
      });
    unrolled<2 * kLeft>([&](auto i) BOCHNER_INLINE {
      HWY_ALIGN std::int32_t upper[kLanes], lower[kLanes];
      hn::StoreU(above[i / 2][i % 2], d, upper);
      hn::StoreU(hn::Sub(whole[i / 2][i % 2], hn::ShiftLeft<15>(above[i / 2][i % 2])), d, lower);
      std::int64_t* to = c + i / 2 * stride + i % 2 * kLanes;
      for (std::size_t j = 0; j < kLanes; ++j) to[j] += std::int64_t{upper[j]} * 0x8000 + lower[j];
    });
  }

  static void put(MatrixView<const float> x, float per_unit, std::byte* unit) {
    std::int16_t q[kGroup][kRight];
    whole_rows(x, per_unit, q);
    auto* to = reinterpret_cast<std::int16_t*>(unit);
    for (std::size_t k = 0; k < kGroup; k += 2)
      for (std::size_t j = 0; j < kRight; ++j, to += 2) {
        to[0] = q[k][j];
        to[1] = q[k + 1][j];
      }
  }
};

#endif

using Blocks = ExactBlocks<VectorKernel>;
static_assert(VectorKernel::kGroup == kVectorGroup);

std::size_t exact_bytes_of(std::size_t rows, std::size_t cols) { return Blocks::bytes(rows, cols); }

void pack_whole(MatrixView<const float> x, float per_unit, std::size_t first, std::size_t rows, std::byte* packed) {
  Blocks::pack(x, per_unit, first, rows, packed);
}

void add_whole_product(const std::byte* a, const std::byte* b, std::size_t rows, MatrixView<std::int64_t> sum) {
  Blocks::add(a, b, rows, sum);
}

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::cpu {

HWY_EXPORT(exact_bytes_of);
HWY_EXPORT(pack_whole);
HWY_EXPORT(add_whole_product);

namespace {

bool always() { return true; }
std::size_t bytes(std::size_t rows, std::size_t cols) { return HWY_DYNAMIC_DISPATCH(exact_bytes_of)(rows, cols); }
void pack(MatrixView<const float> x, float per_unit, std::size_t first, std::size_t rows, std::byte* packed) {
  HWY_DYNAMIC_DISPATCH(pack_whole)(x, per_unit, first, rows, packed);
}
void add(const std::byte* a, const std::byte* b, std::size_t rows, MatrixView<std::int64_t> sum) {
  HWY_DYNAMIC_DISPATCH(add_whole_product)(a, b, rows, sum);
}

}  // namespace

const ExactProduct kExactVectors = {"vectors", always, bytes, kVectorGroup, pack, add};

}  // namespace bochner::cpu
#endif
