// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Cosine and sine of an angle counted in turns. Per target: no #pragma once, see foreach_target.h.

#if defined(BOCHNER_BACKEND_CPU_TURNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BOCHNER_BACKEND_CPU_TURNS_INL_H_
#undef BOCHNER_BACKEND_CPU_TURNS_INL_H_
#else
#define BOCHNER_BACKEND_CPU_TURNS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// sin(2 pi g) = g (c0 + c1 g^2 + ...) for |g| <= 1/4: minimax, approximation error 8e-9 and 2e-19.
// The float ones were rounded one after another, each time fitting the rest anew.
template <class T>
struct SineCoefficients;
template <>
struct SineCoefficients<float> {
  static constexpr std::size_t kCount = 5;
  static constexpr float kValues[kCount] = {0x1.921fb4p+2f, -0x1.4abba2p+5f, 0x1.466504p+6f, -0x1.31fbeep+6f,
                                            0x1.3911b2p+5f};
};
template <>
struct SineCoefficients<double> {
  static constexpr std::size_t kCount = 9;
  static constexpr double kValues[kCount] = {0x1.921fb54442d18p+2,  -0x1.4abbce625be51p+5, 0x1.466bc6775a9f7p+6,
                                             -0x1.32d2cce624836p+6, 0x1.50783483f4d6dp+5,  -0x1.e3074d5629584p+3,
                                             0x1.e8f33b01096cfp+1,  -0x1.6f7477554af0fp-1, 0x1.9c8745d1d924ep-4};
};

// scale * cos and scale * sin of finite turns r. The rounding and the difference are exact for every finite r, so
// the only errors are those of the polynomial; r without a fraction gives cos 1 and sin 0.
template <class D>
class Turns {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  using Coefficients = SineCoefficients<T>;

 public:
  Turns(D d, T scale) : d_(d) {
    for (std::size_t k = 0; k < Coefficients::kCount; ++k) c_[k] = hn::Set(d, scale * Coefficients::kValues[k]);
  }

  // cos(2 pi r) = sin(2 pi (1/4 - |f|)), f = r - round(r)
  HWY_INLINE V cosine(V r) const { return sine_polynomial(hn::Sub(quarter(), hn::Abs(fraction(r)))); }

  // sin(2 pi r) = sign(f) sin(2 pi min(|f|, 1/2 - |f|))
  HWY_INLINE void cosine_sine(V r, V& cosine, V& sine) const {
    const V f = fraction(r);
    const V a = hn::Abs(f);
    cosine = sine_polynomial(hn::Sub(quarter(), a));
    sine = hn::CopySign(sine_polynomial(hn::Min(a, hn::Sub(hn::Set(d_, T(0.5)), a))), f);
  }

 private:
  HWY_INLINE V quarter() const { return hn::Set(d_, T(0.25)); }
  HWY_INLINE V fraction(V r) const { return hn::Sub(r, hn::Round(r)); }

  HWY_INLINE V sine_polynomial(V g) const {
    const V g2 = hn::Mul(g, g);
    V p = c_[Coefficients::kCount - 1];
    for (std::size_t k = Coefficients::kCount - 1; k-- > 0;) p = hn::MulAdd(p, g2, c_[k]);
    return hn::Mul(p, g);
  }

  D d_;
  V c_[Coefficients::kCount];
};

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
