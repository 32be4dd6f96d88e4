// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/cpu/operations.h"
#include "backend/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/cosines.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/cpu/turns-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// No number of turns as large as this has a fraction, in float or double.
template <class T>
constexpr T kWhole = T(0x1p60);

template <class T>
class Angles {
  using V = hn::Vec<Tag<T>>;
  static constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());
  static constexpr std::size_t kVectors = kPanel / kLanes;

 public:
  Angles(const T* factor, const T* phase, T scale) : factor_(factor), phase_(phase), turns_(Tag<T>(), scale) {}

  void row(const T* HWY_RESTRICT y, std::size_t count, T* HWY_RESTRICT z) const {
    T* HWY_RESTRICT sine = phase_ ? nullptr : z + count;
    std::size_t j = 0;
    for (; j + kPanel <= count; j += kPanel)
      panel(y + j, factor_ + j, phase_ ? phase_ + j : nullptr, z + j, sine ? sine + j : nullptr);
    if (j == count) return;
    HWY_ALIGN T edge[5][kPanel] = {};
    for (std::size_t l = 0; l < count - j; ++l) {
      edge[0][l] = y[j + l];
      edge[1][l] = factor_[j + l];
      edge[2][l] = phase_ ? phase_[j + l] : T(0);
    }
    panel(edge[0], edge[1], phase_ ? edge[2] : nullptr, edge[3], edge[4]);
    for (std::size_t l = 0; l < count - j; ++l) {
      z[j + l] = edge[3][l];
      if (sine) sine[j + l] = edge[4][l];
    }
  }

 private:
  HWY_INLINE void panel(const T* HWY_RESTRICT y, const T* HWY_RESTRICT factor, const T* HWY_RESTRICT phase,
                        T* HWY_RESTRICT cosine, T* HWY_RESTRICT sine) const {
    const Tag<T> d;
    V r[kVectors];
    unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
      const V product = hn::Mul(hn::LoadU(d, y + v * kLanes), hn::LoadU(d, factor + v * kLanes));
      const V angle = phase ? hn::Add(product, hn::LoadU(d, phase + v * kLanes)) : product;
      r[v] = hn::Min(hn::Max(angle, hn::Set(d, -kWhole<T>)), hn::Set(d, kWhole<T>));
    });
    if (phase)
      turns_.cosine(r, cosine);
    else
      turns_.cosine_sine(r, cosine, sine);
  }

  const T* factor_;
  const T* phase_;
  const Turns<Tag<T>> turns_;
};

void cosines_float(MatrixView<const float> y, const float* factor, const float* phase, float scale,
                   MatrixView<float> z) {
  const Angles<float> angles(factor, phase, scale);
  for (std::size_t i = 0; i < y.rows; ++i) angles.row(y.row(i), y.cols, z.row(i));
}
void cosines_double(MatrixView<const double> y, const double* factor, const double* phase, double scale,
                    MatrixView<double> z) {
  const Angles<double> angles(factor, phase, scale);
  for (std::size_t i = 0; i < y.rows; ++i) angles.row(y.row(i), y.cols, z.row(i));
}

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::cpu {

HWY_EXPORT(cosines_float);
HWY_EXPORT(cosines_double);

template <>
void Operations::cosines(MatrixView<const float> y, const float* factor, const float* phase, float scale,
                         MatrixView<float> z) {
  HWY_DYNAMIC_DISPATCH(cosines_float)(y, factor, phase, scale, z);
}
template <>
void Operations::cosines(MatrixView<const double> y, const double* factor, const double* phase, double scale,
                         MatrixView<double> z) {
  HWY_DYNAMIC_DISPATCH(cosines_double)(y, factor, phase, scale, z);
}

}  // namespace bochner::cpu
#endif
