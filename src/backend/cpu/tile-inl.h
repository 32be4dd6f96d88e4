// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Register tiles: a few rows by one panel of columns. Per target: no #pragma once, see foreach_target.h.

#if defined(BOCHNER_BACKEND_CPU_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BOCHNER_BACKEND_CPU_TILE_INL_H_
#undef BOCHNER_BACKEND_CPU_TILE_INL_H_
#else
#define BOCHNER_BACKEND_CPU_TILE_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <utility>

#include "backend/cpu/fused-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "backend/cpu/unrolled-inl.h"

constexpr std::size_t kPanel = 16;
constexpr std::size_t kTileRows = 6;
constexpr std::size_t kPackedRows = 8;  // a tile's stride in the packed rows

// Vectors of at most one panel; 4 of them (24 sums) fit 32 registers, 2 fit 16.
template <class T>
using Tag = hn::CappedTag<T, kPanel>;
constexpr bool kManyRegisters = HWY_ARCH_ARM_A64 || HWY_TARGET <= HWY_AVX3;
template <class T>
constexpr std::size_t tile_vectors() {
  constexpr std::size_t whole = kPanel / hn::MaxLanes(Tag<T>());
  constexpr std::size_t most = kManyRegisters ? 4 : 2;
  return whole < most ? whole : most;
}

// sum[r][v] += x[r] w[v] for the rows of a tile, each sum by one fused multiply-add: what a sum becomes depends on its
// own row and column and on no tile. at(v) is where vector v of w lies. NEON multiplies by a lane: one load serves
// several rows; it reads x in whole vectors. Each vector of w is loaded where it is used, so that one register holds
// them all in turn.
template <class T, std::size_t kRows, std::size_t kVectors, class V, class At>
HWY_INLINE void add_outer_at(const T* HWY_RESTRICT x, const At& at, V (&sum)[kRows][kVectors]) {
  const Tag<T> d;
#if HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64
  constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());
  V xv[(kRows + kLanes - 1) / kLanes];
  unrolled<(kRows + kLanes - 1) / kLanes>([&](auto i) BOCHNER_INLINE { xv[i] = hn::LoadU(d, x + i * kLanes); });
  unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
    const V wv = hn::LoadU(d, at(v));
    unrolled<kRows>([&](auto r) BOCHNER_INLINE {
      constexpr int kLane = int(decltype(r)::value % kLanes);  // an immediate even in a build without optimisation
      if constexpr (sizeof(T) == 4)
        sum[r][v] = V(vfmaq_laneq_f32(sum[r][v].raw, wv.raw, xv[r / kLanes].raw, kLane));
      else
        sum[r][v] = V(vfmaq_laneq_f64(sum[r][v].raw, wv.raw, xv[r / kLanes].raw, kLane));
    });
  });
#else
  V wv[kVectors];
  unrolled<kVectors>([&](auto v) BOCHNER_INLINE { wv[v] = hn::LoadU(d, at(v)); });
  unrolled<kRows>([&](auto r) BOCHNER_INLINE {
    const V xr = hn::Set(d, x[r]);
    unrolled<kVectors>([&](auto v) BOCHNER_INLINE { sum[r][v] = fused_add(xr, wv[v], sum[r][v]); });
  });
#endif
}

// The same with the vectors of w one after the other.
template <class T, std::size_t kRows, std::size_t kVectors, class V>
HWY_INLINE void add_outer(const T* HWY_RESTRICT x, const T* HWY_RESTRICT w, V (&sum)[kRows][kVectors]) {
  add_outer_at(
      x, [&](auto v) BOCHNER_INLINE { return w + v * hn::MaxLanes(Tag<T>()); }, sum);
}

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
