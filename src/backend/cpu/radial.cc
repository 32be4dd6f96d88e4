// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/radial.h"

#include "backend/cpu/operations.h"
#include "backend/cpu/targets.h"
#include "base/aligned.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/radial.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/cpu/elementary-inl.h"
#include "backend/cpu/points-inl.h"

// As kernel_block.cc, but t = |x|^2 + |y|^2 - 2 x.y: half the operations, and what cancels is small against kernels
// learnt from the same floats. All three sums run over the inputs in the same order by the same multiply-adds, so that
// equal rows are at distance 0 exactly.
HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A tile goes through one function of all its entries after the other: each alone is a long chain of dependent steps,
// and a processor overlaps more entries the shorter the chain is.

// From the products: t, to `t`, and its logarithm.
template <class T>
HWY_NOINLINE void logarithms(const T* HWY_RESTRICT xx, const T* HWY_RESTRICT yy, T* HWY_RESTRICT t,
                             T* HWY_RESTRICT log) {
  const Tag<T> d;
  for (std::size_t r = 0; r < kTileRows; ++r)
    for (std::size_t c = 0; c < kPanel; c += hn::Lanes(d)) {
      const std::size_t at = r * kPanel + c;
      const auto sum = hn::Add(hn::Set(d, xx[r]), hn::Load(d, yy + c));
      const auto distance =
          hn::Max(fused_subtract(hn::Set(d, T(2)), hn::Load(d, t + at), sum), hn::Set(d, T(kRadialLeast)));
      hn::Store(distance, d, t + at);
      hn::Store(log_positive(d, distance), d, log + at);
    }
}

// t^{q/2} from ln t. Beyond e^7 the kernel is 0.
template <class T>
HWY_NOINLINE void powers(T half_q, const T* HWY_RESTRICT log, T* HWY_RESTRICT power) {
  const Tag<T> d;
  const auto h = hn::Set(d, half_q);
  for (std::size_t at = 0; at < kTile; at += hn::Lanes(d))
    hn::Store(exp_moderate(d, hn::Min(hn::Mul(h, hn::Load(d, log + at)), hn::Set(d, T(7)))), d, power + at);
}

template <class T>
void finish_kernel(T half_q, const T* xx, const T* yy, T* HWY_RESTRICT tile) {
  const Tag<T> d;
  alignas(64) T log[kTile], power[kTile];
  logarithms(xx, yy, tile, log);
  powers(half_q, log, power);
  for (std::size_t at = 0; at < kTile; at += hn::Lanes(d))
    hn::Store(exp_negative(d, hn::Neg(hn::Load(d, power + at))), d, tile + at);
}

// tile: products, then H; omega: then Omega k t^{q/2} ln t.
template <class T>
void finish_slope(T half_q, const T* xx, const T* yy, T* HWY_RESTRICT tile, T* HWY_RESTRICT omega) {
  const Tag<T> d;
  const auto h = hn::Set(d, half_q), least = hn::Set(d, T(kRadialLeast));
  alignas(64) T log[kTile], power[kTile];
  logarithms(xx, yy, tile, log);
  powers(half_q, log, power);
  for (std::size_t at = 0; at < kTile; at += hn::Lanes(d)) {
    const auto t = hn::Load(d, tile + at), p = hn::Load(d, power + at);
    const auto k = exp_negative(d, hn::Neg(p));
    const auto weight = hn::Mul(hn::Mul(hn::Load(d, omega + at), k), p);  // Omega k t^{q/2}
    hn::Store(hn::IfThenElseZero(hn::Gt(t, least), hn::Neg(hn::Div(hn::Mul(h, weight), t))), d, tile + at);
    hn::Store(hn::Mul(weight, hn::Load(d, log + at)), d, omega + at);
  }
}

template <class T>
void kernel(MatrixView<const T> x, const PointPanels<T>& y, double q, MatrixView<T> k, T* scratch) {
  T* packed = scratch;
  T* norms = scratch + y.inputs * kPackedRows;
  alignas(64) T tile[kTile];
  each_tile(x, y, packed, norms, [&](std::size_t row, std::size_t rows, std::size_t p, const T* xx, const T* yy) {
    multiply_tile<T, tile_vectors<T>()>(packed, y.values.data() + p * y.inputs * kPanel, y.inputs, tile);
    finish_kernel(T(q / 2), xx, yy, tile);
    const std::size_t columns = HWY_MIN(kPanel, y.count - p * kPanel);
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns; ++c) k(row + r, p * kPanel + c) = tile[r * kPanel + c];
  });
}

// sums: rows x 2 kPanel doubles, zero at first. Lane c of a row sums the columns c, c + kPanel, ...: no target matters.
template <class T>
void slope(MatrixView<const T> x, const PointPanels<T>& y, double q, const RadialSlope<T>& out, T* scratch,
           double* HWY_RESTRICT sums) {
  T* packed = scratch;
  T* norms = packed + y.inputs * kPackedRows;
  T* left = norms + (y.count + kPanel - 1) / kPanel * kPanel;
  const std::size_t rank = out.right.inputs;
  alignas(64) T tile[kTile], omega[kTile];
  each_tile(x, y, packed, norms, [&](std::size_t row, std::size_t rows, std::size_t p, const T* xx, const T* yy) {
    pack_rows(out.left, row, rows, left);
    multiply_tile<T, tile_vectors<T>()>(packed, y.values.data() + p * y.inputs * kPanel, y.inputs, tile);
    multiply_tile<T, tile_vectors<T>()>(left, out.right.values.data() + p * rank * kPanel, rank, omega);
    finish_slope(T(q / 2), xx, yy, tile, omega);
    const std::size_t columns = HWY_MIN(kPanel, y.count - p * kPanel);  // beyond it Omega is 0
    for (std::size_t r = 0; r < rows; ++r) {
      double* sum = sums + (row + r) * 2 * kPanel;
      for (std::size_t c = 0; c < kPanel; ++c) sum[c] += double(tile[r * kPanel + c]);
      for (std::size_t c = 0; c < kPanel; ++c) sum[kPanel + c] += double(omega[r * kPanel + c]);
      for (std::size_t c = 0; c < columns; ++c) out.by_distance(row + r, p * kPanel + c) = tile[r * kPanel + c];
    }
  });
  for (std::size_t i = 0; i < x.rows; ++i) {
    const double* sum = sums + i * 2 * kPanel;
    double row = 0, exponent = 0;
    for (std::size_t c = 0; c < kPanel; ++c) row += sum[c];
    for (std::size_t c = 0; c < kPanel; ++c) exponent += sum[kPanel + c];
    out.row_sums[i] = row;
    out.by_exponent[i] = -0.5 * exponent;
  }
}

void radial_float(MatrixView<const float> x, const PointPanels<float>& y, double q, MatrixView<float> k, float* s) {
  kernel(x, y, q, k, s);
}
void radial_double(MatrixView<const double> x, const PointPanels<double>& y, double q, MatrixView<double> k,
                   double* s) {
  kernel(x, y, q, k, s);
}
void slope_float(MatrixView<const float> x, const PointPanels<float>& y, double q, const RadialSlope<float>& out,
                 float* s, double* sums) {
  slope(x, y, q, out, s, sums);
}
void slope_double(MatrixView<const double> x, const PointPanels<double>& y, double q, const RadialSlope<double>& out,
                  double* s, double* sums) {
  slope(x, y, q, out, s, sums);
}

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::cpu {

HWY_EXPORT(radial_float);
HWY_EXPORT(radial_double);
HWY_EXPORT(slope_float);
HWY_EXPORT(slope_double);

namespace {

// Packed rows, norms of the points, packed rows of Omega's left factor.
template <class T>
T* scratch_for(std::size_t inputs, std::size_t count, std::size_t rank) {
  thread_local AlignedVector<T> scratch;
  const std::size_t needed = (inputs + rank) * 8 + (count + 15) / 16 * 16;
  if (scratch.size() < needed) scratch.resize(needed);
  return scratch.data();
}

}  // namespace

template <>
void Operations::radial_block(MatrixView<const float> x, const PointPanels<float>& y, double q, MatrixView<float> k) {
  HWY_DYNAMIC_DISPATCH(radial_float)(x, y, q, k, scratch_for<float>(y.inputs, y.count, 0));
}
template <>
void Operations::radial_block(MatrixView<const double> x, const PointPanels<double>& y, double q,
                              MatrixView<double> k) {
  HWY_DYNAMIC_DISPATCH(radial_double)(x, y, q, k, scratch_for<double>(y.inputs, y.count, 0));
}

namespace {

double* zero_sums(std::size_t rows) {
  thread_local AlignedVector<double> sums;
  sums.assign(rows * 32, 0.0);
  return sums.data();
}

}  // namespace

template <>
void Operations::radial_slope(MatrixView<const float> x, const PointPanels<float>& y, double q,
                              const RadialSlope<float>& out) {
  HWY_DYNAMIC_DISPATCH(slope_float)
  (x, y, q, out, scratch_for<float>(y.inputs, y.count, out.right.inputs), zero_sums(x.rows));
}
template <>
void Operations::radial_slope(MatrixView<const double> x, const PointPanels<double>& y, double q,
                              const RadialSlope<double>& out) {
  HWY_DYNAMIC_DISPATCH(slope_double)
  (x, y, q, out, scratch_for<double>(y.inputs, y.count, out.right.inputs), zero_sums(x.rows));
}

}  // namespace bochner::cpu
#endif
