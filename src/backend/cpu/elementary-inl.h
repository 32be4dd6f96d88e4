// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// exp, log and log1p of vectors, as far as kernels need them. Ours and not Highway's: a feature has the same bits on
// every machine, so the steps must not change with a version of a library. Per target: no #pragma once, see
// foreach_target.h.

#if defined(BOCHNER_BACKEND_CPU_ELEMENTARY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BOCHNER_BACKEND_CPU_ELEMENTARY_INL_H_
#undef BOCHNER_BACKEND_CPU_ELEMENTARY_INL_H_
#else
#define BOCHNER_BACKEND_CPU_ELEMENTARY_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <limits>

#include "backend/cpu/fused-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
struct ElementaryConstants;

// exp: kExp of (e^r - 1 - r) / r^2 on |r| <= ln 2 / 2 (Shibata's SLEEF); log: of fdlibm, as in random/elementary.cc.
template <>
struct ElementaryConstants<float> {
  static constexpr int kMantissa = 23;
  static constexpr float kToInteger = 0x1.8p23f;  // added, leaves the nearest integer in the low bits
  static constexpr float kLowest = -87;           // e^x is a normal number from here on
  static constexpr float kLn2High = 0x1.62e4p-1f, kLn2Low = 0x1.7f7d1cp-20f;
  static constexpr float kExp[] = {0.5f,
                                   0.166666671633720397949219f,
                                   0.0416664853692054748535156f,
                                   0.00833336077630519866943359f,
                                   0.00139304355252534151077271f,
                                   0.000198527617612853646278381f};
  static constexpr float kLog[] = {0.66666662693f, 0.40000972152f, 0.28498786688f, 0.24279078841f};
  static constexpr std::int32_t kOne = 0x3f800000, kRootHalf = 0x3f3504f3, kMantissaMask = 0x007fffff;
};
template <>
struct ElementaryConstants<double> {
  static constexpr int kMantissa = 52;
  static constexpr double kToInteger = 0x1.8p52;
  static constexpr double kLowest = -708;
  static constexpr double kLn2High = 6.93147180369123816490e-01, kLn2Low = 1.90821492927058770002e-10;
  static constexpr double kExp[] = {0.5,
                                    0.166666666666666851703837,
                                    0.0416666666666665047591422,
                                    0.00833333333331652721664984,
                                    0.00138888888889774492207962,
                                    0.000198412698960509205564975,
                                    2.4801587159235472998791e-5,
                                    2.75572362911928827629423e-6,
                                    2.75573911234900471893338e-7,
                                    2.51112930892876518610661e-8,
                                    2.08860621107283687536341e-9};
  static constexpr double kLog[] = {6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01,
                                    2.222219843214978396e-01, 1.818357216161805012e-01, 1.531383769920937332e-01,
                                    1.479819860511658591e-01};
  static constexpr std::int64_t kOne = 0x3ff0000000000000, kRootHalf = 0x3fe6a09e667f3bcd,
                                kMantissaMask = 0x000fffffffffffff;
};

// c[0] + c[1] x + ...
template <class D, std::size_t N, class V = hn::Vec<D>>
HWY_INLINE V horner(D d, const hn::TFromD<D> (&c)[N], V x) {
  V sum = hn::Set(d, c[N - 1]);
  for (std::size_t k = N - 1; k-- > 0;) sum = fused_add(sum, x, hn::Set(d, c[k]));
  return sum;
}

// e^x for x <= 80; 0 where it would be no normal number. x = k ln 2 + r, e^x = 2^k e^r.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_moderate(D d, V x) {
  using C = ElementaryConstants<hn::TFromD<D>>;
  const hn::RebindToSigned<D> di;
  const V to_integer = hn::Set(d, C::kToInteger), lowest = hn::Set(d, C::kLowest);
  const V bounded = hn::Max(x, lowest);
  const V shifted = fused_add(bounded, hn::Set(d, hn::TFromD<D>(1.44269504088896338700)), to_integer);
  const V k = hn::Sub(shifted, to_integer);
  const V r = fused_subtract(k, hn::Set(d, C::kLn2Low), fused_subtract(k, hn::Set(d, C::kLn2High), bounded));
  const V e = hn::Add(fused_add(horner(d, C::kExp, r), hn::Mul(r, r), r), hn::Set(d, hn::TFromD<D>(1)));
  // The low bits of `shifted` are k: moved to the exponent, they multiply by 2^k.
  const auto power = hn::ShiftLeft<C::kMantissa>(hn::BitCast(di, shifted));
  return hn::IfThenElseZero(hn::Ge(x, lowest), hn::BitCast(d, hn::Add(hn::BitCast(di, e), power)));
}

// The same for x <= 0, where kernels end.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_negative(D d, V x) {
  return exp_moderate(d, x);
}

// log(y) + lost for normal y > 0, |lost| small. y = 2^k (1 + f).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log_and_lost(D d, V y, V lost) {
  using T = hn::TFromD<D>;
  using C = ElementaryConstants<T>;
  const hn::RebindToSigned<D> di;
  const V one = hn::Set(d, T(1));
  const auto word = hn::Add(hn::BitCast(di, y), hn::Set(di, C::kOne - C::kRootHalf));
  // The exponent as a number: the bits of kToInteger hold whole numbers at their end.
  const auto exponent = hn::Sub(hn::ShiftRight<C::kMantissa>(word), hn::Set(di, C::kOne >> C::kMantissa));
  const V to_integer = hn::Set(d, C::kToInteger);
  const V k = hn::Sub(hn::BitCast(d, hn::Add(exponent, hn::BitCast(di, to_integer))), to_integer);
  const V f =
      hn::Sub(hn::BitCast(d, hn::Add(hn::And(word, hn::Set(di, C::kMantissaMask)), hn::Set(di, C::kRootHalf))), one);
  const V s = hn::Div(f, hn::Add(f, hn::Set(d, T(2))));
  const V z = hn::Mul(s, s);
  const V r = hn::Mul(z, horner(d, C::kLog, z));
  const V half = hn::Mul(hn::Mul(f, hn::Set(d, T(0.5))), f);
  const V low = fused_add(k, hn::Set(d, C::kLn2Low), fused_add(s, hn::Add(half, r), lost));
  return fused_add(k, hn::Set(d, C::kLn2High), hn::Add(f, hn::Sub(low, half)));
}

// log(1 + u) for finite u >= 0. y = 1 + u, and (u - (y - 1)) / y is what the addition lost.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log1p_positive(D d, V u) {
  const V one = hn::Set(d, hn::TFromD<D>(1));
  const V y = hn::Add(one, u);
  return log_and_lost(d, y, hn::Div(hn::Sub(u, hn::Sub(y, one)), y));
}

// log(y) for normal y > 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log_positive(D d, V y) {
  return log_and_lost(d, y, hn::Zero(d));
}

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
