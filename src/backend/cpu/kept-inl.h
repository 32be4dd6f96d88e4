// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Numbers of kept rows, stored as 16 bits, float or double, as vectors to compute with. Per target: no #pragma once,
// see foreach_target.h.

#if defined(BOCHNER_BACKEND_CPU_KEPT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BOCHNER_BACKEND_CPU_KEPT_INL_H_
#undef BOCHNER_BACKEND_CPU_KEPT_INL_H_
#else
#define BOCHNER_BACKEND_CPU_KEPT_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <type_traits>

#include "backend/backend.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// At most 16 lanes: the width of kept rows is a multiple of two such vectors.
template <class C>
using Lanes = hn::CappedTag<C, 16>;
template <class C>
using Vector = hn::Vec<Lanes<C>>;

// A 16-bit number added to the bits of 1.5 * 2^23 is that float plus the number: two additions, which run on every
// port, where a conversion runs on few.
template <class V16>
HWY_INLINE Vector<float> to_float(V16 numbers) {
  const Lanes<float> d;
  const hn::RebindToSigned<decltype(d)> d32;
  const auto shifted = hn::Add(hn::Set(d32, 0x4b400000), hn::PromoteTo(d32, numbers));
  return hn::Sub(hn::BitCast(d, shifted), hn::Set(d, 12582912.0f));
}

HWY_INLINE Vector<float> load(const std::int16_t* p) {
  return to_float(hn::LoadU(hn::Rebind<std::int16_t, Lanes<float>>(), p));
}
HWY_INLINE Vector<float> load(const float* p) { return hn::LoadU(Lanes<float>(), p); }
HWY_INLINE Vector<double> load(const double* p) { return hn::LoadU(Lanes<double>(), p); }

template <class T>
HWY_INLINE void load_pair(const T* p, Vector<T>& low, Vector<T>& high) {
  low = load(p);
  high = load(p + hn::Lanes(Lanes<T>()));
}
HWY_INLINE void load_pair(const std::int16_t* p, Vector<float>& low, Vector<float>& high) {
  const hn::Repartition<std::int16_t, Lanes<float>> d16;
  const auto both = hn::LoadU(d16, p);
  low = to_float(hn::LowerHalf(both));
  high = to_float(hn::UpperHalf(hn::Half<decltype(d16)>(), both));
}

// Two vectors of kept numbers as double; 16-bit numbers by way of float, which holds them exactly.
template <class T>
HWY_INLINE void load_wide(const T* p, Vector<double>& low, Vector<double>& high) {
  const Lanes<double> d;
  const hn::Repartition<float, Lanes<double>> both;
  const auto numbers = [&] {
    if constexpr (std::is_same_v<T, float>)
      return hn::LoadU(both, p);
    else
      return to_float(hn::LoadU(hn::Rebind<T, decltype(both)>(), p));
  }();
  low = hn::PromoteTo(d, hn::LowerHalf(numbers));
  high = hn::PromoteTo(d, hn::UpperHalf(hn::Half<decltype(both)>(), numbers));
}

// Kept numbers as numbers to compute with.
template <class C, class T>
HWY_INLINE void load_as(const T* p, Vector<C>& low, Vector<C>& high) {
  if constexpr (std::is_same_v<C, Computed<T>>)
    load_pair(p, low, high);
  else
    load_wide(p, low, high);
}

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // BOCHNER_BACKEND_CPU_KEPT_INL_H_
