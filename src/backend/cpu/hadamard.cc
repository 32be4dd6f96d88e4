// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>

#include "backend/cpu/operations.h"
#include "backend/cpu/targets.h"
#include "backend/hadamard_loop.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/hadamard.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/cpu/tile-inl.h"

// The fast Hadamard transform. Levels come in the order 1, 2, 4, ... for every entry, so that the sums are those of the
// plain loops to the bit. What costs is not the additions but the loads and stores, so that each pass does as many
// levels as registers hold:
//   16 vectors that lie together: the levels within a vector and four more;
//   16 vectors h apart: four levels, or fewer where as many are left;
//   rows longer than kNear: parts of that length first, which stay in L1, then the levels across parts. Their lines lie
//     a power of two apart and meet in one set of the cache, so a few columns at a time go through a buffer.
HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// At most 256 bits, so that the halves of a vector are its blocks of 128 bits.
template <class T>
using Wave = hn::CappedTag<T, 32 / sizeof(T)>;
template <class T>
constexpr std::size_t wave_lanes() {
  return hn::MaxLanes(Wave<T>());
}

constexpr std::size_t kRadix = 16;
constexpr std::size_t kNear = 4096;   // numbers whose levels are done before others are touched
constexpr std::size_t kColumns = 64;  // columns of the buffer

// All levels across N vectors.
template <std::size_t N, class V>
HWY_INLINE void butterflies(V (&v)[N]) {
  const auto level = [&](auto h) BOCHNER_INLINE {
    unrolled<N / 2>([&](auto i) BOCHNER_INLINE {
      constexpr std::size_t low = i / h * 2 * h + i % h;
      const V a = v[low], b = v[low + h];
      v[low] = hn::Add(a, b);
      v[low + h] = hn::Sub(a, b);
    });
  };
  level(std::integral_constant<std::size_t, 1>());
  if constexpr (N > 2) level(std::integral_constant<std::size_t, 2>());
  if constexpr (N > 4) level(std::integral_constant<std::size_t, 4>());
  if constexpr (N > 8) level(std::integral_constant<std::size_t, 8>());
}

// One level within vectors, for two of them. low(a, b) and high(a, b) hold the entries that come first and second in
// their pairs; taken of sums and differences, they put them back.
template <class V, class Low, class High>
HWY_INLINE void level_within(V& a, V& b, const Low& low, const High& high) {
  const V first = low(a, b), second = high(a, b);
  const V sum = hn::Add(first, second), difference = hn::Sub(first, second);
  a = low(sum, difference);
  b = high(sum, difference);
}

// Neighbours of 32 bits: [a0 b0 a2 b2] and [a1 b1 a3 b3], as NEON's TRN.
template <class V>
HWY_INLINE void level_of_neighbours(V& a, V& b) {
#if HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64
  level_within(
      a, b, [](V x, V y) BOCHNER_INLINE { return V(vtrn1q_f32(x.raw, y.raw)); },
      [](V x, V y) BOCHNER_INLINE { return V(vtrn2q_f32(x.raw, y.raw)); });
#else
  level_within(
      a, b, [](V x, V y) BOCHNER_INLINE { return hn::OddEven(hn::DupEven(y), x); },
      [](V x, V y) BOCHNER_INLINE { return hn::OddEven(y, hn::DupOdd(x)); });
#endif
}

template <class T, class V>
HWY_INLINE void levels_within(V& a, V& b) {
  const Wave<T> d;
  if constexpr (sizeof(T) == 4) level_of_neighbours(a, b);
  const hn::Repartition<std::uint64_t, Wave<T>> wide;  // halves of 128 bits
  level_within(
      a, b,
      [&](V x, V y) BOCHNER_INLINE {
        return hn::BitCast(d, hn::InterleaveLower(wide, hn::BitCast(wide, x), hn::BitCast(wide, y)));
      },
      [&](V x, V y) BOCHNER_INLINE {
        return hn::BitCast(d, hn::InterleaveUpper(wide, hn::BitCast(wide, x), hn::BitCast(wide, y)));
      });
  if constexpr (wave_lanes<T>() * sizeof(T) == 32)  // halves of 256 bits
    level_within(
        a, b, [&](V x, V y) BOCHNER_INLINE { return hn::ConcatLowerLower(d, y, x); },
        [&](V x, V y) BOCHNER_INLINE { return hn::ConcatUpperUpper(d, y, x); });
}

// The levels of 16 vectors that lie together.
template <class T>
HWY_INLINE void first_levels(T* HWY_RESTRICT x) {
  const Wave<T> d;
  constexpr std::size_t kLanes = wave_lanes<T>();
  hn::Vec<Wave<T>> v[kRadix];
  unrolled<kRadix>([&](auto i) BOCHNER_INLINE { v[i] = hn::LoadU(d, x + i * kLanes); });
  unrolled<kRadix / 2>([&](auto i) BOCHNER_INLINE { levels_within<T>(v[2 * i], v[2 * i + 1]); });
  butterflies(v);
  unrolled<kRadix>([&](auto i) BOCHNER_INLINE { hn::StoreU(v[i], d, x + i * kLanes); });
}

// N vectors, h apart.
template <std::size_t N, class T>
HWY_INLINE void levels_at(T* HWY_RESTRICT x, std::size_t h) {
  const Wave<T> d;
  hn::Vec<Wave<T>> v[N];
  unrolled<N>([&](auto i) BOCHNER_INLINE { v[i] = hn::LoadU(d, x + i * h); });
  butterflies(v);
  unrolled<N>([&](auto i) BOCHNER_INLINE { hn::StoreU(v[i], d, x + i * h); });
}

// The levels h, 2 h, ..., N h / 2 of n numbers.
template <std::size_t N, class T>
HWY_NOINLINE void levels(T* x, std::size_t n, std::size_t h) {
  for (std::size_t begin = 0; begin < n; begin += N * h)
    for (std::size_t j = begin; j < begin + h; j += wave_lanes<T>()) levels_at<N>(x + j, h);
}

// The same through a buffer, for h far apart.
template <std::size_t N, class T>
HWY_NOINLINE void far_levels(T* x, std::size_t n, std::size_t h) {
  HWY_ALIGN T buffer[N * kColumns];
  for (std::size_t begin = 0; begin < n; begin += N * h)
    for (std::size_t j = begin; j < begin + h; j += kColumns) {
      for (std::size_t i = 0; i < N; ++i) std::copy_n(x + j + i * h, kColumns, buffer + i * kColumns);
      for (std::size_t c = 0; c < kColumns; c += wave_lanes<T>()) levels_at<N>(buffer + c, kColumns);
      for (std::size_t i = 0; i < N; ++i) std::copy_n(buffer + i * kColumns, kColumns, x + j + i * h);
    }
}

// The levels from h up to those of n numbers: what is left over by fours first.
template <class T>
void near_rest(T* x, std::size_t n, std::size_t h) {
  while (h < n) {
    const std::size_t left = hwy::Num0BitsBelowLS1Bit_Nonzero64(n / h);
    const std::size_t radix = left % 4 == 0 ? 16 : std::size_t(1) << (left % 4);
    if (radix == 16) levels<16>(x, n, h);
    if (radix == 8) levels<8>(x, n, h);
    if (radix == 4) levels<4>(x, n, h);
    if (radix == 2) levels<2>(x, n, h);
    h *= radix;
  }
}

template <class T>
void far_rest(T* x, std::size_t n, std::size_t h) {
  while (h < n) {
    const std::size_t factor = n / h;
    if (factor >= 16) {
      far_levels<16>(x, n, h);
      h *= 16;
    } else if (factor == 8) {
      far_levels<8>(x, n, h);
      h *= 8;
    } else if (factor == 4) {
      levels<4>(x, n, h);
      h *= 4;
    } else {
      levels<2>(x, n, h);
      h *= 2;
    }
  }
}

template <class T>
void transform(MatrixView<T> x) {
  constexpr std::size_t kFirst = kRadix * wave_lanes<T>();
  const std::size_t n = x.cols, near = HWY_MIN(n, kNear);
  for (std::size_t i = 0; i < x.rows; ++i) {
    T* row = x.row(i);
    if (n < kFirst) {
      hadamard_loop(row, n);
      continue;
    }
    for (std::size_t part = 0; part < n; part += near) {
      for (std::size_t j = 0; j < near; j += kFirst) first_levels(row + part + j);
      near_rest(row + part, near, kFirst);
    }
    far_rest(row, n, near);
  }
}

void hadamard_float(MatrixView<float> x) { transform(x); }
void hadamard_double(MatrixView<double> x) { transform(x); }

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::cpu {

HWY_EXPORT(hadamard_float);
HWY_EXPORT(hadamard_double);

template <>
void Operations::hadamard(MatrixView<float> x) {
  HWY_DYNAMIC_DISPATCH(hadamard_float)(x);
}
template <>
void Operations::hadamard(MatrixView<double> x) {
  HWY_DYNAMIC_DISPATCH(hadamard_double)(x);
}

}  // namespace bochner::cpu
#endif
