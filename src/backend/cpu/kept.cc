// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>

#include "backend/cpu/operations.h"
#include "backend/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kept.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/cpu/kept-inl.h"
#include "backend/cpu/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Kept rows one behind the other, or each somewhere else. soon(i): a row that is not there may be prefetched too.
template <class T>
struct Together {
  using Number = T;
  MatrixView<const T> z;

  std::size_t cols() const { return z.cols; }
  const T* row(std::size_t i) const { return z.row(i); }
  const T* soon(std::size_t i) const { return z.row(i); }
};
template <class T>
struct Apart {
  using Number = T;
  std::span<const T* const> z;
  std::size_t width;

  std::size_t cols() const { return width; }
  const T* row(std::size_t i) const { return z[i]; }
  const T* soon(std::size_t i) const { return z[std::min(i, z.size() - 1)]; }
};

// A dot product is summed in 64 bytes of parts, column j in part j % kDotParts, which meet in halves at the end: one
// order for vectors of any width, so that all machines with a fused multiply-add find the same bits.
template <class C>
constexpr std::size_t kDotParts = 64 / sizeof(C);
template <class C>
constexpr std::size_t kDotVectors = kDotParts<C> / hn::MaxLanes(Lanes<C>());

template <class C>
HWY_INLINE C sum_of_parts(Vector<C> (&parts)[kDotVectors<C>]) {
  const Lanes<C> d;
  constexpr std::size_t kLanes = hn::MaxLanes(Lanes<C>());
  for (std::size_t half = kDotVectors<C> / 2; half > 0; half /= 2)
    for (std::size_t p = 0; p < half; ++p) parts[p] = hn::Add(parts[p], parts[p + half]);
  HWY_ALIGN C lanes[kLanes];
  hn::StoreU(parts[0], d, lanes);
  for (std::size_t half = kLanes / 2; half > 0; half /= 2)
    for (std::size_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
  return lanes[0];
}

// Rows x Heads dot products at a time, each in registers of its own, so that the grouping leaves no trace.
// wide: null or where the rows go as numbers to compute with.
template <std::size_t Rows, std::size_t Heads, class Z, class C>
HWY_INLINE void project_tile(const Z& z, std::size_t i, MatrixView<const C> v, std::size_t k, MatrixView<C> u,
                             const MatrixView<C>* wide) {
  const Lanes<C> d;
  constexpr std::size_t kLanes = hn::MaxLanes(Lanes<C>()), kVectors = kDotVectors<C>;
  constexpr std::size_t kPairs = kVectors > 2 ? kVectors / 2 : 1;  // pairs of vectors in a step
  Vector<C> sum[Rows][Heads][kVectors], row_low, row_high, head_low[Heads], head_high[Heads];
  for (std::size_t r = 0; r < Rows; ++r)
    for (std::size_t h = 0; h < Heads; ++h)
      for (std::size_t p = 0; p < kVectors; ++p) sum[r][h][p] = hn::Zero(d);
  for (std::size_t j = 0; j < z.cols(); j += 2 * kPairs * kLanes) {
    if (j * sizeof(typename Z::Number) % 64 == 0)  // strips of rows are too short for the hardware to see them coming
      for (std::size_t r = 0; r < Rows; ++r) hwy::Prefetch(z.soon(i + Rows + r) + j);
    unrolled<kPairs>([&](auto pair) BOCHNER_INLINE {
      constexpr std::size_t kLow = 2 * decltype(pair)::value % kVectors, kHigh = (kLow + 1) % kVectors;
      const std::size_t at = j + 2 * pair * kLanes;
      for (std::size_t h = 0; h < Heads; ++h) load_pair(v.row(k + h) + at, head_low[h], head_high[h]);
      for (std::size_t r = 0; r < Rows; ++r) {
        load_as<C>(z.row(i + r) + at, row_low, row_high);
        if (wide) {
          hn::StoreU(row_low, d, wide->row(i + r) + at);
          hn::StoreU(row_high, d, wide->row(i + r) + at + kLanes);
        }
        for (std::size_t h = 0; h < Heads; ++h) {
          sum[r][h][kLow] = fused_add(row_low, head_low[h], sum[r][h][kLow]);
          sum[r][h][kHigh] = fused_add(row_high, head_high[h], sum[r][h][kHigh]);
        }
      }
    });
  }
  for (std::size_t r = 0; r < Rows; ++r)
    for (std::size_t h = 0; h < Heads; ++h) u(i + r, k + h) = sum_of_parts<C>(sum[r][h]);
}

// sum_h += sum over Rows rows of u_h z, one pair of vectors of columns after the other. Written to look like a chain
// of Rows additions so that the bits do not depend on Heads.
template <std::size_t Rows, std::size_t Heads, class Z, class C>
HWY_INLINE void combine_tile(const Z& z, std::size_t i, MatrixView<const C> u, std::size_t k, MatrixView<C> sum) {
  const Lanes<C> d;
  const std::size_t lanes = hn::Lanes(d);
  Vector<C> factor[Rows][Heads], low[Heads], high[Heads], row_low, row_high;
  for (std::size_t r = 0; r < Rows; ++r)
    for (std::size_t h = 0; h < Heads; ++h) factor[r][h] = hn::Set(d, u(i + r, k + h));
  for (std::size_t j = 0; j < z.cols(); j += 2 * lanes) {
    for (std::size_t h = 0; h < Heads; ++h) load_pair<C>(sum.row(k + h) + j, low[h], high[h]);
    for (std::size_t r = 0; r < Rows; ++r) {
      load_as<C>(z.row(i + r) + j, row_low, row_high);
      for (std::size_t h = 0; h < Heads; ++h) {
        low[h] = fused_add(row_low, factor[r][h], low[h]);
        high[h] = fused_add(row_high, factor[r][h], high[h]);
      }
    }
    for (std::size_t h = 0; h < Heads; ++h) {
      hn::StoreU(low[h], d, sum.row(k + h) + j);
      hn::StoreU(high[h], d, sum.row(k + h) + j + lanes);
    }
  }
}

// Enough sums at a time to hide the latency of the additions, few enough for the registers, half of which double fills.
template <std::size_t Heads, class C>
constexpr std::size_t kRowsAtATime = Heads == 1                   ? 8
                                     : sizeof(C) == sizeof(float) ? 4
                                                                  : 8 / Heads;

// Half the registers for the sums.
template <std::size_t Heads, class C>
constexpr std::size_t kRowsProjected = [] {
  constexpr std::size_t kRows = (kManyRegisters ? 16 : 8) / (Heads * kDotVectors<C>);
  return kRows > 8 ? 8 : kRows > 1 ? kRows : 1;
}();

template <std::size_t Heads, class Z, class C>
HWY_INLINE void project_heads(const Z& z, MatrixView<const C> v, std::size_t k, MatrixView<C> u,
                              const MatrixView<C>* wide = nullptr) {
  constexpr std::size_t kRows = kRowsProjected<Heads, C>;
  std::size_t i = 0;
  for (; i + kRows <= u.rows; i += kRows) project_tile<kRows, Heads>(z, i, v, k, u, wide);
  for (; i < u.rows; ++i) project_tile<1, Heads>(z, i, v, k, u, wide);
}

template <std::size_t Heads, class Z, class C>
void combine_heads(const Z& z, MatrixView<const C> u, std::size_t k, MatrixView<C> sum) {
  constexpr std::size_t kRows = kRowsAtATime<Heads, C>;
  std::size_t i = 0;
  for (; i + kRows <= u.rows; i += kRows) combine_tile<kRows, Heads>(z, i, u, k, sum);
  for (; i < u.rows; ++i) combine_tile<1, Heads>(z, i, u, k, sum);
}

template <class Z, class C>
HWY_NOINLINE void project_all(const Z& z, MatrixView<const C> v, MatrixView<C> u) {
  std::size_t k = 0;
  for (; k + 4 <= v.rows; k += 4) project_heads<4>(z, v, k, u);
  if (k + 2 <= v.rows) {
    project_heads<2>(z, v, k, u);
    k += 2;
  }
  if (k < v.rows) project_heads<1>(z, v, k, u);
}

// The first heads that are asked for widen the rows.
HWY_NOINLINE void widen_all(MatrixView<const std::int16_t> rows, MatrixView<const float> v, MatrixView<float> u,
                            MatrixView<float> wide) {
  const Together<std::int16_t> z{rows};
  const std::size_t first = v.rows % 4 == 0 ? 4 : v.rows % 4 == 2 ? 2 : 1;
  if (first == 4)
    project_heads<4>(z, v, 0, u, &wide);
  else if (first == 2)
    project_heads<2>(z, v, 0, u, &wide);
  else
    project_heads<1>(z, v, 0, u, &wide);
  if (first < v.rows)
    project_all(z, v.slice(first, v.rows - first), MatrixView<float>{u.data + first, u.rows, u.cols - first, u.stride});
}

template <class Z, class C>
HWY_NOINLINE void combine_all(const Z& z, MatrixView<const C> u, MatrixView<C> sum) {
  std::size_t k = 0;
  for (; k + 4 <= u.cols; k += 4) combine_heads<4>(z, u, k, sum);
  if (k + 2 <= u.cols) {
    combine_heads<2>(z, u, k, sum);
    k += 2;
  }
  if (k < u.cols) combine_heads<1>(z, u, k, sum);
}

// target += the sum of Rows rows, one after the other. next: as many rows that follow, or null.
template <std::size_t Rows, class T>
HWY_INLINE void scatter_tile(const T* const* rows, const float* factor, float* target, std::size_t cols,
                             const T* const* next) {
  const Lanes<float> d;
  const std::size_t lanes = hn::Lanes(d);
  Vector<float> factors[Rows], low, high, row_low, row_high;
  for (std::size_t r = 0; r < Rows; ++r) factors[r] = hn::Set(d, factor[r]);
  for (std::size_t j = 0; j < cols; j += 2 * lanes) {
    if (next && j * sizeof(T) % 64 == 0)  // rows lie far apart: the hardware does not foresee them
      for (std::size_t r = 0; r < Rows; ++r) hwy::Prefetch(next[r] + j);
    load_pair<float>(target + j, low, high);
    for (std::size_t r = 0; r < Rows; ++r) {
      load_pair(rows[r] + j, row_low, row_high);
      low = fused_add(factors[r], row_low, low);
      high = fused_add(factors[r], row_high, high);
    }
    hn::StoreU(low, d, target + j);
    hn::StoreU(high, d, target + j + lanes);
  }
}

template <class T>
HWY_INLINE void scatter_all(std::span<const T* const> z, const std::uint32_t* to, const float* factor,
                            MatrixView<float> sum) {
  constexpr std::size_t kTogether = 4;
  for (std::size_t r = 0; r < z.size();) {
    float* HWY_RESTRICT target = sum.row(to[r]);
    if constexpr (sizeof(T) == sizeof(double)) {
      const T* HWY_RESTRICT row = z[r];
      for (std::size_t j = 0; j < sum.cols; ++j) target[j] += factor[r] * float(row[j]);
      ++r;
    } else if (r + kTogether <= z.size() && std::equal(to + r, to + r + kTogether - 1, to + r + 1)) {
      scatter_tile<kTogether>(&z[r], factor + r, target, sum.cols,
                              r + 2 * kTogether <= z.size() ? &z[r + kTogether] : nullptr);
      r += kTogether;
    } else {
      scatter_tile<1>(&z[r], factor + r, target, sum.cols, r + 1 < z.size() ? &z[r + 1] : nullptr);
      ++r;
    }
  }
}

void fix_all(MatrixView<const float> z, float per_unit, MatrixView<std::int16_t> q) {
  const Lanes<float> d;
  const hn::Rebind<std::int16_t, decltype(d)> d16;
  const auto factor = hn::Set(d, per_unit);
  const hn::CappedTag<float, 1> d1;
  for (std::size_t i = 0; i < z.rows; ++i) {
    const float* HWY_RESTRICT row = z.row(i);
    std::int16_t* HWY_RESTRICT out = q.row(i);
    std::size_t j = 0;
    for (; j + hn::Lanes(d) <= z.cols; j += hn::Lanes(d))
      hn::StoreU(hn::DemoteTo(d16, hn::NearestInt(hn::Mul(hn::LoadU(d, row + j), factor))), d16, out + j);
    for (; j < z.cols; ++j) {
      const float rounded = hn::GetLane(hn::Round(hn::Set(d1, row[j] * per_unit)));
      out[j] = std::int16_t(rounded > 32767 ? 32767 : rounded < -32768 ? -32768 : rounded);
    }
  }
}

#define BOCHNER_KEPT(T, name)                                                                                  \
  void project_##name(MatrixView<const T> z, MatrixView<const Computed<T>> v, MatrixView<Computed<T>> u) {     \
    project_all(Together<T>{z}, v, u);                                                                         \
  }                                                                                                            \
  void combine_##name(MatrixView<const T> z, MatrixView<const Computed<T>> u, MatrixView<Computed<T>> sum) {   \
    combine_all(Together<T>{z}, u, sum);                                                                       \
  }                                                                                                            \
  void project_apart_##name(std::span<const T* const> z, MatrixView<const double> v, MatrixView<double> u) {   \
    project_all(Apart<T>{z, v.cols}, v, u);                                                                    \
  }                                                                                                            \
  void combine_apart_##name(std::span<const T* const> z, MatrixView<const double> u, MatrixView<double> sum) { \
    combine_all(Apart<T>{z, sum.cols}, u, sum);                                                                \
  }                                                                                                            \
  void scatter_##name(std::span<const T* const> z, const std::uint32_t* to, const float* factor,               \
                      MatrixView<float> sum) {                                                                 \
    scatter_all(z, to, factor, sum);                                                                           \
  }
BOCHNER_KEPT(std::int16_t, int16)
BOCHNER_KEPT(float, float)
BOCHNER_KEPT(double, double)
#undef BOCHNER_KEPT

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::cpu {

#define BOCHNER_KEPT(T, name)                                                                                          \
  HWY_EXPORT(project_##name);                                                                                          \
  HWY_EXPORT(combine_##name);                                                                                          \
  HWY_EXPORT(project_apart_##name);                                                                                    \
  HWY_EXPORT(combine_apart_##name);                                                                                    \
  HWY_EXPORT(scatter_##name);                                                                                          \
  template <>                                                                                                          \
  void Operations::project(MatrixView<const T> z, MatrixView<const Computed<T>> v, MatrixView<Computed<T>> u) {        \
    HWY_DYNAMIC_DISPATCH(project_##name)(z, v, u);                                                                     \
  }                                                                                                                    \
  template <>                                                                                                          \
  void Operations::add_combined(MatrixView<const T> z, MatrixView<const Computed<T>> u, MatrixView<Computed<T>> sum) { \
    HWY_DYNAMIC_DISPATCH(combine_##name)(z, u, sum);                                                                   \
  }                                                                                                                    \
  template <>                                                                                                          \
  void Operations::project(std::span<const T* const> z, MatrixView<const double> v, MatrixView<double> u) {            \
    HWY_DYNAMIC_DISPATCH(project_apart_##name)(z, v, u);                                                               \
  }                                                                                                                    \
  template <>                                                                                                          \
  void Operations::add_combined(std::span<const T* const> z, MatrixView<const double> u, MatrixView<double> sum) {     \
    HWY_DYNAMIC_DISPATCH(combine_apart_##name)(z, u, sum);                                                             \
  }                                                                                                                    \
  template <>                                                                                                          \
  void Operations::scatter(std::span<const T* const> z, const std::uint32_t* to, const float* factor,                  \
                           MatrixView<float> sum) {                                                                    \
    HWY_DYNAMIC_DISPATCH(scatter_##name)(z, to, factor, sum);                                                          \
  }
BOCHNER_KEPT(std::int16_t, int16)
BOCHNER_KEPT(float, float)
BOCHNER_KEPT(double, double)
#undef BOCHNER_KEPT

HWY_EXPORT(widen_all);
HWY_EXPORT(fix_all);

void Operations::project_and_widen(MatrixView<const std::int16_t> z, MatrixView<const float> v, MatrixView<float> u,
                                   MatrixView<float> wide) {
  HWY_DYNAMIC_DISPATCH(widen_all)(z, v, u, wide);
}

void Operations::to_fixed(MatrixView<const float> z, float per_unit, MatrixView<std::int16_t> q) {
  HWY_DYNAMIC_DISPATCH(fix_all)(z, per_unit, q);
}

}  // namespace bochner::cpu
#endif
