// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Cosine and sine of angles counted in turns. Per target: no #pragma once, see foreach_target.h.

#if defined(BOCHNER_BACKEND_CPU_TURNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BOCHNER_BACKEND_CPU_TURNS_INL_H_
#undef BOCHNER_BACKEND_CPU_TURNS_INL_H_
#else
#define BOCHNER_BACKEND_CPU_TURNS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "backend/cpu/tile-inl.h"
#include "backend/turns.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// scale * cos and scale * sin of N vectors of finite turns r. f = r - round(r) is exact for every finite r, so the
// only errors are the polynomials'; r without a fraction gives cos 1 and sin 0. Each step is done for all N vectors
// before the next, to hide its latency: the more vectors, the faster, as far as registers go.
template <class D>
class Turns {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  static constexpr std::size_t kLanes = hn::MaxLanes(D());
  static constexpr std::size_t kPCount = sizeof(TurnsPolynomials<T>::kP) / sizeof(T);
  static constexpr std::size_t kQCount = sizeof(TurnsPolynomials<T>::kQ) / sizeof(T);

 public:
  Turns(D d, T scale) : d_(d) {
    for (std::size_t k = 0; k < kPCount; ++k) hn::StoreU(hn::Set(d, scale * TurnsPolynomials<T>::kP[k]), d, p_[k]);
    for (std::size_t k = 0; k < kQCount; ++k) hn::StoreU(hn::Set(d, scale * TurnsPolynomials<T>::kQ[k]), d, q_[k]);
    hn::StoreU(hn::Set(d, T(0.0625)), d, sixteenth_);
  }

  // cos(2 pi r) = sin(2 pi g), g = 1/4 - |f|
  template <std::size_t N>
  HWY_INLINE void cosine(const V (&r)[N], T* HWY_RESTRICT out) const {
    V f[N], g[N], t[N], p[N];
    reduce(r, f, g, t);
    evaluate(t, p_, p);
    unrolled<N>([&](auto v) BOCHNER_INLINE { hn::StoreU(hn::Mul(p[v], g[v]), d_, out + v * kLanes); });
  }

  // sin(2 pi r) = sign(f) cos(2 pi g). The sign goes to the factor t, which is never negative.
  template <std::size_t N>
  HWY_INLINE void cosine_sine(const V (&r)[N], T* HWY_RESTRICT cosine, T* HWY_RESTRICT sine) const {
    V f[N], g[N], t[N], p[N], q[N];
    reduce(r, f, g, t);
    evaluate(t, p_, p);
    evaluate(t, q_, q);
    unrolled<N>([&](auto v) BOCHNER_INLINE { f[v] = with_sign(t[v], f[v]); });
    unrolled<N>([&](auto v) BOCHNER_INLINE {
      hn::StoreU(hn::Mul(p[v], g[v]), d_, cosine + v * kLanes);
      hn::StoreU(hn::Mul(q[v], f[v]), d_, sine + v * kLanes);
    });
  }

  // Rows x (kBatches * N vectors) of angles in a buffer to rows of outputs. The cosines of one batch are interleaved
  // with the range reduction of the next, which a processor with a short window does not do by itself.
  template <std::size_t N, std::size_t kBatches>
  HWY_INLINE void cosines(const T* HWY_RESTRICT angles, std::size_t rows, T* HWY_RESTRICT out,
                          std::size_t stride) const {
    V f[N], g[N], t[N], r[N], p[N];
    const auto load = [&](std::size_t batch) BOCHNER_INLINE {
      unrolled<N>([&](auto v) BOCHNER_INLINE { r[v] = hn::LoadU(d_, angles + (batch * N + v) * kLanes); });
    };
    load(0);
    reduce(r, f, g, t);
    for (std::size_t batch = 0; batch < rows * kBatches; ++batch) {
      // One batch more than there is: the buffer has room for it, and nobody looks at it.
      V next_g[N], next_t[N];
      load(batch + 1);
      evaluate(t, p_, p);
      reduce(r, f, next_g, next_t);
      T* HWY_RESTRICT to = out + batch / kBatches * stride + batch % kBatches * N * kLanes;
      unrolled<N>([&](auto v) BOCHNER_INLINE {
        hn::StoreU(hn::Mul(p[v], g[v]), d_, to + v * kLanes);
        g[v] = next_g[v];
        t[v] = next_t[v];
      });
    }
  }

  template <std::size_t N, std::size_t kBatches>
  HWY_INLINE void cosines_sines(const T* HWY_RESTRICT angles, std::size_t rows, T* HWY_RESTRICT cosine,
                                T* HWY_RESTRICT sine, std::size_t stride) const {
    for (std::size_t batch = 0; batch < rows * kBatches; ++batch) {
      V r[N];
      unrolled<N>([&](auto v) BOCHNER_INLINE { r[v] = hn::LoadU(d_, angles + (batch * N + v) * kLanes); });
      const std::size_t to = batch / kBatches * stride + batch % kBatches * N * kLanes;
      cosine_sine(r, cosine + to, sine + to);
    }
  }

 private:
  // NEON's multiply-add overwrites its addend, so a constant there costs a move in the pipes that do the arithmetic.
  // A load does not; hidden from the compiler, which would load once and move.
  HWY_INLINE V constant(const T* from) const {
#if HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64
    V value;
    asm volatile("ldr %q0, %1" : "=w"(value.raw) : "m"(*reinterpret_cast<const T(*)[kLanes]>(from)));
    return value;
#else
    return hn::LoadU(d_, from);
#endif
  }

  // a >= 0 with the sign of b. NEON selects by bits in one instruction; elsewhere IfVecThenElse selects whole lanes.
  HWY_INLINE V with_sign(V a, V b) const {
#if HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64
    return hn::IfVecThenElse(hn::SignBit(d_), b, a);
#else
    return hn::CopySignToAbs(a, b);
#endif
  }

  // f = r - round(r), g = 1/4 - |f|, t = 1/16 - g^2
  template <std::size_t N>
  HWY_INLINE void reduce(const V (&r)[N], V (&f)[N], V (&g)[N], V (&t)[N]) const {
    const V quarter = hn::Set(d_, T(0.25));
    unrolled<N>([&](auto v) BOCHNER_INLINE { f[v] = hn::Sub(r[v], hn::Round(r[v])); });
    unrolled<N>([&](auto v) BOCHNER_INLINE { g[v] = hn::Sub(quarter, hn::Abs(f[v])); });
    unrolled<N>([&](auto v) BOCHNER_INLINE { t[v] = fused_subtract(g[v], g[v], constant(sixteenth_)); });
  }

  // sum = c0 + c1 t + ...
  template <std::size_t N, std::size_t kCount>
  HWY_INLINE void evaluate(const V (&t)[N], const T (&c)[kCount][kLanes], V (&sum)[N]) const {
    const V last = hn::LoadU(d_, c[kCount - 1]);
    unrolled<N>([&](auto v) BOCHNER_INLINE { sum[v] = fused_add(last, t[v], constant(c[kCount - 2])); });
    unrolled<kCount - 2>([&](auto k) BOCHNER_INLINE {
      unrolled<N>([&](auto v) BOCHNER_INLINE { sum[v] = fused_add(sum[v], t[v], constant(c[kCount - 3 - k])); });
    });
  }

  D d_;
  HWY_ALIGN T p_[kPCount][kLanes];
  HWY_ALIGN T q_[kQCount][kLanes];
  HWY_ALIGN T sixteenth_[kLanes];
};

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
