// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/cpu/cross_product.h"
#include "backend/cpu/operations.h"
#include "backend/cpu/targets.h"
#include "base/aligned.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/product.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// sum[j] += round(per_unit * product[j])
template <class T>
void add_row(const T* HWY_RESTRICT product, std::size_t n, double per_unit, std::int64_t* HWY_RESTRICT sum) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<T, decltype(d)> dt;
  const hn::RebindToSigned<decltype(d)> di;
  const auto factor = hn::Set(d, per_unit);
  std::size_t j = 0;
  for (; j + hn::Lanes(d) <= n; j += hn::Lanes(d)) {
    auto value = hn::Undefined(d);
    if constexpr (sizeof(T) == sizeof(double))
      value = hn::LoadU(d, product + j);
    else
      value = hn::PromoteTo(d, hn::LoadU(dt, product + j));
    const auto rounded = hn::ConvertTo(di, hn::Round(hn::Mul(value, factor)));
    hn::StoreU(hn::Add(hn::LoadU(di, sum + j), rounded), di, sum + j);
  }
  const hn::CappedTag<double, 1> d1;
  const hn::RebindToSigned<decltype(d1)> di1;
  for (; j < n; ++j) sum[j] += hn::GetLane(hn::ConvertTo(di1, hn::Round(hn::Set(d1, double(product[j]) * per_unit))));
}

void add_rows_float(MatrixView<const float> product, double per_unit, MatrixView<std::int64_t> sum) {
  for (std::size_t i = 0; i < product.rows; ++i) add_row(product.row(i), product.cols, per_unit, sum.row(i));
}
void add_rows_double(MatrixView<const double> product, double per_unit, MatrixView<std::int64_t> sum) {
  for (std::size_t i = 0; i < product.rows; ++i) add_row(product.row(i), product.cols, per_unit, sum.row(i));
}

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::cpu {

HWY_EXPORT(add_rows_float);
HWY_EXPORT(add_rows_double);

namespace {

void add_rows(MatrixView<const float> product, double per_unit, MatrixView<std::int64_t> sum) {
  HWY_DYNAMIC_DISPATCH(add_rows_float)(product, per_unit, sum);
}
void add_rows(MatrixView<const double> product, double per_unit, MatrixView<std::int64_t> sum) {
  HWY_DYNAMIC_DISPATCH(add_rows_double)(product, per_unit, sum);
}

}  // namespace

template <class T>
void Operations::add_product(MatrixView<const T> a, MatrixView<const T> b, double per_unit,
                             MatrixView<std::int64_t> sum) {
  thread_local AlignedVector<T> scratch;
  if (scratch.size() < a.cols * b.cols) scratch.resize(a.cols * b.cols);
  const MatrixView<T> product{scratch.data(), a.cols, b.cols, b.cols};
  cross_product(a, b, product);
  add_rows(product, per_unit, sum);
}

void Operations::add_product(MatrixView<const float> a, MatrixView<const float> b, MatrixView<double> sum) {
  thread_local AlignedVector<float> scratch;
  if (scratch.size() < a.cols * b.cols) scratch.resize(a.cols * b.cols);
  const MatrixView<float> product{scratch.data(), a.cols, b.cols, b.cols};
  cross_product(a, b, product);
  for (std::size_t i = 0; i < sum.rows; ++i)
    for (std::size_t j = 0; j < sum.cols; ++j) sum(i, j) += double(product(i, j));
}

template void Operations::add_product(MatrixView<const float>, MatrixView<const float>, double,
                                      MatrixView<std::int64_t>);
template void Operations::add_product(MatrixView<const double>, MatrixView<const double>, double,
                                      MatrixView<std::int64_t>);

}  // namespace bochner::cpu
#endif
