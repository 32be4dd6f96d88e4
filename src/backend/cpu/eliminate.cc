// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/eliminate.h"

#include <utility>

#include "backend/cpu/target_choice.h"
#include "backend/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/eliminate.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "backend/cpu/unrolled-inl.h"

constexpr std::size_t kTogether = 4;  // vectors of a row that stay in registers while all rows above are subtracted
constexpr std::size_t kWide = 64;     // columns of which eliminate() finishes all rows, within the first cache

struct Columns {
  std::size_t first, last;  // [first, last)
};

// w(k, j) = (w(k, j) - sum of u(p, k) w(p, j)) * scale for columns j and p = begin, ..., k - 1. No fused multiply-adds:
// processors without them would take fifty instructions for each.
template <class T>
HWY_INLINE void reduce_row(MatrixView<const T> u, MatrixView<T> w, std::size_t begin, std::size_t k, Columns columns,
                           T scale) {
  const auto [first, last] = columns;
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  T* HWY_RESTRICT const to = w.row(k);
  const auto times = hn::Set(d, scale);
  std::size_t j = first;
  for (; j + kTogether * lanes <= last; j += kTogether * lanes) {
    hn::Vec<decltype(d)> sum[kTogether];
    unrolled<kTogether>([&](auto v) BOCHNER_INLINE { sum[v] = hn::LoadU(d, to + j + v * lanes); });
    for (std::size_t p = begin; p < k; ++p) {
      const auto factor = hn::Set(d, u(p, k));
      const T* HWY_RESTRICT const from = w.row(p) + j;
      unrolled<kTogether>(
          [&](auto v) BOCHNER_INLINE { sum[v] = hn::Sub(sum[v], hn::Mul(factor, hn::LoadU(d, from + v * lanes))); });
    }
    unrolled<kTogether>([&](auto v) BOCHNER_INLINE { hn::StoreU(hn::Mul(sum[v], times), d, to + j + v * lanes); });
  }
  for (; j + lanes <= last; j += lanes) {
    auto sum = hn::LoadU(d, to + j);
    for (std::size_t p = begin; p < k; ++p)
      sum = hn::Sub(sum, hn::Mul(hn::Set(d, u(p, k)), hn::LoadU(d, w.row(p) + j)));
    hn::StoreU(hn::Mul(sum, times), d, to + j);
  }
  for (; j < last; ++j) {
    T sum = to[j];
    for (std::size_t p = begin; p < k; ++p) sum -= u(p, k) * w(p, j);
    to[j] = sum * scale;
  }
}

template <class T>
void eliminate_rows(MatrixView<const T> u, MatrixView<T> w, std::size_t begin, std::size_t count) {
  for (std::size_t j = 0; j < w.cols; j += kWide)
    for (std::size_t k = begin; k < begin + count; ++k)
      reduce_row<T>(u, w, begin, k, {j, HWY_MIN(j + kWide, w.cols)}, 1 / u(k, k));
}

void subtract_float(MatrixView<const float> u, MatrixView<float> w, std::size_t begin, std::size_t k,
                    std::size_t first) {
  reduce_row<float>(u, w, begin, k, {first, w.cols}, 1);
}
void subtract_double(MatrixView<const double> u, MatrixView<double> w, std::size_t begin, std::size_t k,
                     std::size_t first) {
  reduce_row<double>(u, w, begin, k, {first, w.cols}, 1);
}
void eliminate_float(MatrixView<const float> u, MatrixView<float> w, std::size_t begin, std::size_t count) {
  eliminate_rows(u, w, begin, count);
}
void eliminate_double(MatrixView<const double> u, MatrixView<double> w, std::size_t begin, std::size_t count) {
  eliminate_rows(u, w, begin, count);
}

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner {

namespace cpu {
HWY_EXPORT(subtract_float);
HWY_EXPORT(subtract_double);
HWY_EXPORT(eliminate_float);
HWY_EXPORT(eliminate_double);
}  // namespace cpu

void subtract_rows(MatrixView<const float> u, MatrixView<float> w, std::size_t begin, std::size_t k,
                   std::size_t first) {
  cpu::choose_target();
  using namespace cpu;
  HWY_DYNAMIC_DISPATCH(subtract_float)(u, w, begin, k, first);
}
void subtract_rows(MatrixView<const double> u, MatrixView<double> w, std::size_t begin, std::size_t k,
                   std::size_t first) {
  cpu::choose_target();
  using namespace cpu;
  HWY_DYNAMIC_DISPATCH(subtract_double)(u, w, begin, k, first);
}
void eliminate(MatrixView<const float> u, MatrixView<float> w, std::size_t begin, std::size_t count) {
  cpu::choose_target();
  using namespace cpu;
  HWY_DYNAMIC_DISPATCH(eliminate_float)(u, w, begin, count);
}
void eliminate(MatrixView<const double> u, MatrixView<double> w, std::size_t begin, std::size_t count) {
  cpu::choose_target();
  using namespace cpu;
  HWY_DYNAMIC_DISPATCH(eliminate_double)(u, w, begin, count);
}

}  // namespace bochner
#endif
