// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Fused multiply-adds: a b + c, rounded once. Per target: no #pragma once, see foreach_target.h.

#if defined(BOCHNER_BACKEND_CPU_FUSED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BOCHNER_BACKEND_CPU_FUSED_INL_H_
#undef BOCHNER_BACKEND_CPU_FUSED_INL_H_
#else
#define BOCHNER_BACKEND_CPU_FUSED_INL_H_
#endif

#include <hwy/highway.h>

#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SSSE3

// x86-64 before AVX2 has no such instruction. Of its two targets SSE4 multiplies and adds, rounding twice, and SSSE3
// rounds once by some 50 plain instructions, for the bits of all other machines; target_choice.h has their names.
// Boldo & Melquiond, "Emulation of FMA and correctly rounded sums: proved
// algorithms using rounding to odd", IEEE Transactions on Computers 57(4), 2008.

struct TwoDoubles {
  __m128d sum, lost;
};

// x + y = sum + lost, exactly.
HWY_INLINE TwoDoubles exact_sum(__m128d x, __m128d y) {
  const __m128d sum = _mm_add_pd(x, y), of_y = _mm_sub_pd(sum, x);
  return {sum, _mm_add_pd(_mm_sub_pd(x, _mm_sub_pd(sum, of_y)), _mm_sub_pd(y, of_y))};
}

// x + y rounded to odd: where it is no double, the neighbour whose last bit is 1. Rounding that to fewer bits is then
// rounding x + y.
HWY_INLINE __m128d sum_to_odd(__m128d x, __m128d y) {
  const TwoDoubles exact = exact_sum(x, y);
  const __m128i bits = _mm_castpd_si128(exact.sum), one = _mm_set1_epi64x(1);
  const __m128i even = _mm_sub_epi64(_mm_and_si128(bits, one), one);
  const __m128d nothing = _mm_setzero_pd();
  const __m128d inexact = _mm_or_pd(_mm_cmplt_pd(exact.lost, nothing), _mm_cmpgt_pd(exact.lost, nothing));
  // 1 away from zero where both have one sign, -1 otherwise.
  const __m128i signs = _mm_srai_epi32(_mm_castpd_si128(_mm_xor_pd(exact.sum, exact.lost)), 31);
  const __m128i step = _mm_or_si128(_mm_shuffle_epi32(signs, _MM_SHUFFLE(3, 3, 1, 1)), one);
  return _mm_castsi128_pd(_mm_add_epi64(bits, _mm_and_si128(step, _mm_and_si128(even, _mm_castpd_si128(inexact)))));
}

// Products of floats are exact in double.
HWY_INLINE __m128 fused_half(__m128 a, __m128 b, __m128 c) {
  return _mm_cvtpd_ps(sum_to_odd(_mm_mul_pd(_mm_cvtps_pd(a), _mm_cvtps_pd(b)), _mm_cvtps_pd(c)));
}
inline HWY_NOINLINE __m128 fused_raw(__m128 a, __m128 b, __m128 c) {
  return _mm_movelh_ps(fused_half(a, b, c), fused_half(_mm_movehl_ps(a, a), _mm_movehl_ps(b, b), _mm_movehl_ps(c, c)));
}

// x = high + rest, of 26 bits each. Dekker, 1971.
HWY_INLINE TwoDoubles halves(__m128d x) {
  const __m128d scaled = _mm_mul_pd(x, _mm_set1_pd(0x1p27 + 1)), high = _mm_sub_pd(scaled, _mm_sub_pd(scaled, x));
  return {high, _mm_sub_pd(x, high)};
}

// Where a step might leave the exponents of a double, each lane goes to the C library.
inline HWY_NOINLINE __m128d fused_raw(__m128d a, __m128d b, __m128d c) {
  const __m128d product = _mm_mul_pd(a, b);
  const __m128d sign = _mm_set1_pd(-0.0), most = _mm_set1_pd(0x1p900), nothing = _mm_setzero_pd();
  const __m128d no_product = _mm_or_pd(_mm_cmpeq_pd(a, nothing), _mm_cmpeq_pd(b, nothing));
  const auto moderate = [&](__m128d x) { return _mm_cmplt_pd(_mm_andnot_pd(sign, x), most); };
  const __m128d large_enough = _mm_or_pd(_mm_cmpge_pd(_mm_andnot_pd(sign, product), _mm_set1_pd(0x1p-900)), no_product);
  const __m128d good = _mm_and_pd(_mm_and_pd(moderate(a), moderate(b)),
                                  _mm_and_pd(_mm_and_pd(moderate(c), moderate(product)), large_enough));
  if (HWY_UNLIKELY(_mm_movemask_pd(good) != 3)) {
    alignas(16) double x[2], y[2], z[2];
    _mm_storeu_pd(x, a);
    _mm_storeu_pd(y, b);
    _mm_storeu_pd(z, c);
    return _mm_set_pd(std::fma(x[1], y[1], z[1]), std::fma(x[0], y[0], z[0]));
  }
  const TwoDoubles p = halves(a), q = halves(b);
  __m128d lost = _mm_sub_pd(_mm_mul_pd(p.sum, q.sum), product);
  lost = _mm_add_pd(_mm_add_pd(lost, _mm_mul_pd(p.sum, q.lost)), _mm_mul_pd(p.lost, q.sum));
  lost = _mm_add_pd(lost, _mm_mul_pd(p.lost, q.lost));  // a b = product + lost
  const TwoDoubles small = exact_sum(c, lost), large = exact_sum(product, small.sum);
  const __m128d sum = _mm_add_pd(large.sum, sum_to_odd(small.lost, large.lost));
  // The steps above lose the sign of a zero.
  const __m128d plain = _mm_add_pd(product, c);
  return _mm_or_pd(_mm_and_pd(no_product, plain), _mm_andnot_pd(no_product, sum));
}

template <class V>
HWY_INLINE V fused_add(V a, V b, V c) {
  return V{fused_raw(a.raw, b.raw, c.raw)};
}
template <class V>
HWY_INLINE V fused_subtract(V a, V b, V c) {
  return V{fused_raw(hn::Neg(a).raw, b.raw, c.raw)};
}

#else

// a b + c and c - a b
template <class V>
HWY_INLINE V fused_add(V a, V b, V c) {
  return hn::MulAdd(a, b, c);
}
template <class V>
HWY_INLINE V fused_subtract(V a, V b, V c) {
  return hn::NegMulAdd(a, b, c);
}

#endif

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
