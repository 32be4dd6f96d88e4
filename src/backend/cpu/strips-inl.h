// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Products of matrices by strips. Goto & van de Geijn, TOMS 2008, in small: strips of a few columns of a and several
// vectors of b, packed row after row, meet in a register tile of sums. A sum takes its terms row by row, kStripDepth of
// them by fused multiply-adds from 0, and the sums of the depths are added in their order: the same bits for any tile
// and on every machine. Per target: no #pragma once, see foreach_target.h.

#if defined(BOCHNER_BACKEND_CPU_STRIPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BOCHNER_BACKEND_CPU_STRIPS_INL_H_
#undef BOCHNER_BACKEND_CPU_STRIPS_INL_H_
#else
#define BOCHNER_BACKEND_CPU_STRIPS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "backend/cpu/tile-inl.h"
#include "base/aligned.h"
#include "bochner/matrix.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Rows at a time. A strip of each fits L1, and sums of sums round less than one long sum.
constexpr std::size_t kStripDepth = 128;

// 32 registers: 8 x 3 vectors, 11 loads for 24 products; NEON loads whole vectors of a, 5 for 24. 16 registers: 6 x 2,
// 8 loads for 12. NEON's double 4 x 6: wide tiles read less of a, which comes from L2. All divide 12 kProductStep.
template <class T>
struct Strip {
  static constexpr bool kWide = HWY_ARCH_ARM_A64 && sizeof(T) == 8;
  static constexpr std::size_t kVectors = kWide ? 6 : kManyRegisters ? 3 : 2;
  static constexpr std::size_t kA = kWide ? 4 : kManyRegisters ? 8 : 6;
  static constexpr std::size_t kB = kVectors * hn::MaxLanes(Tag<T>());
};

// kCount numbers, in whole vectors where they are.
template <std::size_t kCount, class T>
HWY_INLINE void copy_numbers(const T* HWY_RESTRICT from, T* HWY_RESTRICT to) {
  const Tag<T> d;
  constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());
  constexpr std::size_t kWhole = kCount / kLanes;
  unrolled<kWhole>([&](auto v) BOCHNER_INLINE { hn::StoreU(hn::LoadU(d, from + v * kLanes), d, to + v * kLanes); });
  unrolled<kCount - kWhole * kLanes>([&](auto c)
                                         BOCHNER_INLINE { to[kWhole * kLanes + c] = from[kWhole * kLanes + c]; });
}

// Rows that are packed together: whole cache lines are read, and the strips, a power of two apart, do not meet in one
// set of the cache.
constexpr std::size_t kPackedTogether = 16;

// packed[s][k][c] = x(k, s * kStrip + c), zero beyond the last column.
template <std::size_t kStrip, class T>
void pack_strips(MatrixView<const T> x, T* HWY_RESTRICT packed) {
  for (std::size_t first = 0; first < x.rows; first += kPackedTogether) {
    const std::size_t end = HWY_MIN(x.rows, first + kPackedTogether);
    for (std::size_t begin = 0; begin < x.cols; begin += kStrip) {
      const std::size_t count = HWY_MIN(kStrip, x.cols - begin);
      T* HWY_RESTRICT to = packed + begin * x.rows + first * kStrip;
      for (std::size_t k = first; k < end; ++k, to += kStrip) {
        const T* HWY_RESTRICT row = x.row(k) + begin;
        if (count == kStrip) {
          copy_numbers<kStrip>(row, to);
        } else {
          for (std::size_t c = 0; c < kStrip; ++c) to[c] = c < count ? row[c] : T(0);
        }
      }
    }
  }
}

// c (+)= a^T b for one strip of each over `depth` rows; c has stride `stride`. Not inlined: the sums want all the
// registers.
template <class T>
HWY_NOINLINE void strip_tile(const T* HWY_RESTRICT a, const T* HWY_RESTRICT b, std::size_t depth, bool add,
                             T* HWY_RESTRICT c, std::size_t stride) {
  using S = Strip<T>;
  using V = hn::Vec<Tag<T>>;
  const Tag<T> d;
  constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());
  V sum[S::kA][S::kVectors];
  unrolled<S::kA>(
      [&](auto i) BOCHNER_INLINE { unrolled<S::kVectors>([&](auto v) BOCHNER_INLINE { sum[i][v] = hn::Zero(d); }); });
  for (std::size_t k = 0; k < depth / 2; ++k, a += 2 * S::kA, b += 2 * S::kB) {
    add_outer(a, b, sum);
    add_outer(a + S::kA, b + S::kB, sum);
  }
  if (depth % 2) add_outer(a, b, sum);
  unrolled<S::kA>([&](auto i) BOCHNER_INLINE {
    unrolled<S::kVectors>([&](auto v) BOCHNER_INLINE {
      T* to = c + i * stride + v * kLanes;
      hn::StoreU(add ? hn::Add(hn::LoadU(d, to), sum[i][v]) : sum[i][v], d, to);
    });
  });
}

// The same where the tile may stick out of the product: then through a buffer.
template <class T>
HWY_INLINE void multiply_strips(const T* a, const T* b, std::size_t depth, bool add, MatrixView<T> c) {
  using S = Strip<T>;
  if (c.rows == S::kA && c.cols == S::kB) return strip_tile(a, b, depth, add, c.data, c.stride);
  HWY_ALIGN T whole[S::kA * S::kB] = {};
  for (std::size_t i = 0; add && i < c.rows; ++i)
    for (std::size_t j = 0; j < c.cols; ++j) whole[i * S::kB + j] = c(i, j);
  strip_tile(a, b, depth, add, whole, S::kB);
  for (std::size_t i = 0; i < c.rows; ++i)
    for (std::size_t j = 0; j < c.cols; ++j) c(i, j) = whole[i * S::kB + j];
}

// packed[k][r] = a(first + r, k) for one strip of rows; rows beyond the last repeat it.
template <class T>
void pack_rows_strip(MatrixView<const T> a, std::size_t first, T* HWY_RESTRICT packed) {
  constexpr std::size_t kA = Strip<T>::kA;
  const T* row[kA];
  for (std::size_t r = 0; r < kA; ++r) row[r] = a.row(HWY_MIN(first + r, a.rows - 1));
  for (std::size_t k = 0; k < a.cols; ++k, packed += kA)
    unrolled<kA>([&](auto r) BOCHNER_INLINE { packed[r] = row[r][k]; });
}

// Rows row .. row + depth and columns column .. column + cols of a matrix.
struct StripPart {
  std::size_t row, depth, column, cols;
};

// c (+)= a b for the matrix b whose strips `pack(part, packed)` makes, in groups of columns that stay in L2.
template <class T, class Pack>
void multiply_by_strips(MatrixView<const T> a, const Pack& pack, bool add, MatrixView<T> c, AlignedVector<T>& packed) {
  using S = Strip<T>;
  constexpr std::size_t kGroupBytes = 256 << 10;  // strips that lie beside the rows in L2
  constexpr std::size_t kGroup = kGroupBytes / (kStripDepth * sizeof(T)) / S::kB * S::kB;
  constexpr std::size_t kRowsSize = S::kA * kStripDepth;
  if (packed.size() < kRowsSize + kGroup * kStripDepth) packed.resize(kRowsSize + kGroup * kStripDepth);
  T* packed_rows = packed.data();
  T* packed_heads = packed.data() + kRowsSize;
  for (std::size_t begin = 0; begin < a.cols; begin += kStripDepth) {
    const std::size_t depth = HWY_MIN(kStripDepth, a.cols - begin);
    for (std::size_t first = 0; first < c.cols; first += kGroup) {
      const std::size_t heads = HWY_MIN(kGroup, c.cols - first);
      pack(StripPart{begin, depth, first, heads}, packed_heads);
      for (std::size_t i = 0; i < a.rows; i += S::kA) {
        pack_rows_strip<T>({a.data + begin, a.rows, depth, a.stride}, i, packed_rows);
        for (std::size_t j = 0; j < heads; j += S::kB)
          multiply_strips<T>(packed_rows, packed_heads + j * depth, depth, add || begin > 0,
                             {&c(i, first + j), HWY_MIN(S::kA, a.rows - i), HWY_MIN(S::kB, heads - j), c.stride});
      }
    }
  }
}

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
