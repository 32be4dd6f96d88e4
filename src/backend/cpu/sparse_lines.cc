// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/sparse_lines.h"

#include "backend/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/sparse_lines.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/cpu/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A panel in registers: four vectors of NEON in float, eight in double.
template <class T>
using PanelTag = hn::CappedTag<T, kPanelColumns>;
template <class T>
constexpr std::size_t panel_vectors() {
  return kPanelColumns / hn::MaxLanes(PanelTag<T>());
}

// w = x^T a of the line between two entries.
template <class T, class V, std::size_t N>
HWY_INLINE void line_product(const SparseLines& a, std::size_t begin, std::size_t end, const T* HWY_RESTRICT x,
                             V (&w)[N]) {
  const PanelTag<T> d;
  unrolled<N>([&](auto k) BOCHNER_INLINE { w[k] = hn::Zero(d); });
  for (std::size_t p = begin; p < end; ++p) {
    const V value = hn::Set(d, T(a.values[p]));
    const T* HWY_RESTRICT row = x + std::size_t(a.places[p]) * kPanelColumns;
    unrolled<N>([&](auto k) BOCHNER_INLINE { w[k] = fused_add(value, hn::LoadU(d, row + k * hn::MaxLanes(d)), w[k]); });
  }
}

template <class T>
void normal_product(const SparseLines& a, const LineShift<T>& shift, const T* HWY_RESTRICT x, T* HWY_RESTRICT u) {
  const PanelTag<T> d;
  constexpr std::size_t kLanes = hn::MaxLanes(d), kVectors = panel_vectors<T>();
  for (std::size_t l = a.first; l < a.first + a.count; ++l) {
    const std::size_t begin = a.offsets[l], end = a.offsets[l + 1];
    hn::Vec<PanelTag<T>> w[kVectors];
    line_product(a, begin, end, x, w);
    if (shift.factor) {
      const auto factor = hn::Set(d, shift.factor[l]);
      alignas(64) T found[kPanelColumns];
      unrolled<kVectors>([&](auto k) BOCHNER_INLINE {
        w[k] = fused_subtract(factor, hn::LoadU(d, shift.product + k * kLanes), w[k]);
        hn::StoreU(w[k], d, found + k * kLanes);
      });
      for (std::size_t k = 0; k < kPanelColumns; ++k) shift.sum[k] += double(shift.factor[l]) * double(found[k]);
    }
    for (std::size_t p = begin; p < end; ++p) {
      const auto value = hn::Set(d, T(a.values[p]));
      T* HWY_RESTRICT row = u + std::size_t(a.places[p]) * kPanelColumns;
      unrolled<kVectors>([&](auto k) BOCHNER_INLINE {
        hn::StoreU(fused_add(value, w[k], hn::LoadU(d, row + k * kLanes)), d, row + k * kLanes);
      });
    }
  }
}

template <class T>
void products(const SparseLines& a, const T* HWY_RESTRICT x, MatrixView<T> y) {
  const PanelTag<T> d;
  constexpr std::size_t kVectors = panel_vectors<T>();
  for (std::size_t l = a.first; l < a.first + a.count; ++l) {
    hn::Vec<PanelTag<T>> w[kVectors];
    line_product(a, a.offsets[l], a.offsets[l + 1], x, w);
    unrolled<kVectors>([&](auto k) BOCHNER_INLINE { hn::StoreU(w[k], d, y.row(l) + k * hn::MaxLanes(d)); });
  }
}

void normal_product_float(const SparseLines& a, const LineShift<float>& shift, const float* x, float* u) {
  normal_product(a, shift, x, u);
}
void normal_product_double(const SparseLines& a, const LineShift<double>& shift, const double* x, double* u) {
  normal_product(a, shift, x, u);
}
void products_float(const SparseLines& a, const float* x, MatrixView<float> y) { products(a, x, y); }
void products_double(const SparseLines& a, const double* x, MatrixView<double> y) { products(a, x, y); }

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner {

namespace cpu {
HWY_EXPORT(normal_product_float);
HWY_EXPORT(normal_product_double);
HWY_EXPORT(products_float);
HWY_EXPORT(products_double);

namespace {
void dispatch(const SparseLines& a, const LineShift<float>& shift, const float* x, float* u) {
  HWY_DYNAMIC_DISPATCH(normal_product_float)(a, shift, x, u);
}
void dispatch(const SparseLines& a, const LineShift<double>& shift, const double* x, double* u) {
  HWY_DYNAMIC_DISPATCH(normal_product_double)(a, shift, x, u);
}
void dispatch(const SparseLines& a, const float* x, MatrixView<float> y) {
  HWY_DYNAMIC_DISPATCH(products_float)(a, x, y);
}
void dispatch(const SparseLines& a, const double* x, MatrixView<double> y) {
  HWY_DYNAMIC_DISPATCH(products_double)(a, x, y);
}
}  // namespace
}  // namespace cpu

template <class T>
void add_normal_product(const SparseLines& a, const LineShift<T>& shift, const T* x, T* u) {
  cpu::dispatch(a, shift, x, u);
}
template <class T>
void line_products(const SparseLines& a, const T* x, MatrixView<T> y) {
  cpu::dispatch(a, x, y);
}

template void add_normal_product(const SparseLines&, const LineShift<float>&, const float*, float*);
template void add_normal_product(const SparseLines&, const LineShift<double>&, const double*, double*);
template void line_products(const SparseLines&, const float*, MatrixView<float>);
template void line_products(const SparseLines&, const double*, MatrixView<double>);

}  // namespace bochner
#endif
