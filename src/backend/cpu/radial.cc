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

// t = |x - y|^2 from the products x . y, which `t` holds at first, and log = ln t.
template <class T>
HWY_NOINLINE void logarithms(const T* HWY_RESTRICT xx, const T* HWY_RESTRICT yy, T* HWY_RESTRICT t,
                             T* HWY_RESTRICT log) {
  const Tag<T> d;
  for (std::size_t r = 0; r < kTileRows; ++r)
    for (std::size_t c = 0; c < kPanel; c += hn::Lanes(d)) {
      const std::size_t at = r * kPanel + c;
      const auto sum = hn::Add(hn::Set(d, xx[r]), hn::LoadU(d, yy + c));
      const auto distance =
          hn::Max(fused_subtract(hn::Set(d, T(2)), hn::LoadU(d, t + at), sum), hn::Set(d, T(kRadialLeast)));
      hn::StoreU(distance, d, t + at);
      hn::StoreU(log_positive(d, distance), d, log + at);
    }
}

// t^{q/2} from ln t. Beyond e^7 the kernel is 0.
template <class T>
HWY_NOINLINE void powers(T half_q, const T* HWY_RESTRICT log, T* HWY_RESTRICT power) {
  const Tag<T> d;
  const auto h = hn::Set(d, half_q);
  for (std::size_t at = 0; at < kTile; at += hn::Lanes(d))
    hn::StoreU(exp_moderate(d, hn::Min(hn::Mul(h, hn::LoadU(d, log + at)), hn::Set(d, T(7)))), d, power + at);
}

template <class T>
HWY_NOINLINE void values(const T* HWY_RESTRICT power, T* HWY_RESTRICT k) {
  const Tag<T> d;
  for (std::size_t at = 0; at < kTile; at += hn::Lanes(d))
    hn::StoreU(exp_negative(d, hn::Neg(hn::LoadU(d, power + at))), d, k + at);
}

// visit(row, rows, panel, t, log, power, k): tiles.
template <class T, class Visit>
void each_radial_tile(MatrixView<const T> x, const PointPanels<T>& y, double q, T* scratch, const Visit& visit) {
  T* norms = scratch;
  T* packed = scratch + (y.count + kPanel - 1) / kPanel * kPanel;
  alignas(64) T t[kTile], log[kTile], power[kTile], k[kTile];
  each_tile(x, y, packed, norms, [&](std::size_t row, std::size_t rows, std::size_t p, const T* xx, const T* yy) {
    multiply_tile<T, tile_vectors<T>()>(packed, y.values.data() + p * y.inputs * kPanel, y.inputs, t);
    logarithms(xx, yy, t, log);
    powers(T(q / 2), log, power);
    values(power, k);
    visit(row, rows, p, t, log, power, k);
  });
}

// A tile's part of a matrix of as many columns as there are points.
template <class T>
HWY_INLINE void put_tile(const T* HWY_RESTRICT tile, std::size_t row, std::size_t rows, std::size_t p,
                         MatrixView<T> out) {
  const std::size_t columns = HWY_MIN(kPanel, out.cols - p * kPanel);
  for (std::size_t r = 0; r < rows; ++r) {
    T* HWY_RESTRICT at = out.row(row + r) + p * kPanel;
    if (columns == kPanel)
      for (std::size_t c = 0; c < kPanel; ++c) at[c] = tile[r * kPanel + c];
    else
      for (std::size_t c = 0; c < columns; ++c) at[c] = tile[r * kPanel + c];
  }
}

template <class T>
void kernel(MatrixView<const T> x, const PointPanels<T>& y, double q, MatrixView<T> out, T* scratch) {
  each_radial_tile(x, y, q, scratch,
                   [&](std::size_t row, std::size_t rows, std::size_t p, const T*, const T*, const T*, const T* k) {
                     put_tile(k, row, rows, p, out);
                   });
}

template <class T>
void entries(MatrixView<const T> x, const PointPanels<T>& y, double q, const RadialEntries<T>& out, T* scratch) {
  each_radial_tile(
      x, y, q, scratch,
      [&](std::size_t row, std::size_t rows, std::size_t p, const T* t, const T* log, const T* power, const T* k) {
        put_tile(t, row, rows, p, out.distance);
        put_tile(log, row, rows, p, out.log);
        put_tile(power, row, rows, p, out.power);
        put_tile(k, row, rows, p, out.k);
      });
}

// A row's entries of one panel: where they lie or, of the last panel, copied and filled up.
template <class T>
HWY_INLINE const T* panel_of(MatrixView<T> m, std::size_t row, std::size_t p, T (&room)[kPanel]) {
  const T* at = m.row(row) + p * kPanel;
  if ((p + 1) * kPanel <= m.cols) return at;
  for (std::size_t c = 0; c < kPanel; ++c) room[c] = p * kPanel + c < m.cols ? at[c] : T(1);
  return room;
}

// sums: rows x 2 kPanel doubles, zero at first. Lane c of a row sums the columns c, c + kPanel, ...: no target matters.
// Beyond the points Omega is 0.
template <class T>
void slope(const RadialEntries<T>& of, double q, const RadialSlope<T>& out, T* left, double* HWY_RESTRICT sums) {
  const Tag<T> d;
  const auto h = hn::Set(d, T(q / 2)), least = hn::Set(d, T(kRadialLeast));
  const std::size_t rank = out.right.inputs;
  alignas(64) T tile[kTile], omega[kTile], room[4][kPanel];
  each_row_tile(out.left, out.right, left, [&](std::size_t row, std::size_t rows, std::size_t p) {
    multiply_tile<T, tile_vectors<T>()>(left, out.right.values.data() + p * rank * kPanel, rank, omega);
    for (std::size_t r = 0; r < rows; ++r) {
      const T* k = panel_of(of.k, row + r, p, room[0]);
      const T* distance = panel_of(of.distance, row + r, p, room[1]);
      const T* power = panel_of(of.power, row + r, p, room[2]);
      const T* log = panel_of(of.log, row + r, p, room[3]);
      for (std::size_t c = 0; c < kPanel; c += hn::Lanes(d)) {
        const std::size_t at = r * kPanel + c;
        const auto t = hn::LoadU(d, distance + c);
        const auto weight = hn::Mul(hn::Mul(hn::LoadU(d, omega + at), hn::LoadU(d, k + c)), hn::LoadU(d, power + c));
        hn::StoreU(hn::IfThenElseZero(hn::Gt(t, least), hn::Neg(hn::Div(hn::Mul(h, weight), t))), d, tile + at);
        hn::StoreU(hn::Mul(weight, hn::LoadU(d, log + c)), d, omega + at);  // Omega k t^{q/2} ln t
      }
    }
    for (std::size_t r = 0; r < rows; ++r) {
      double* sum = sums + (row + r) * 2 * kPanel;
      for (std::size_t c = 0; c < kPanel; ++c) sum[c] += double(tile[r * kPanel + c]);
      for (std::size_t c = 0; c < kPanel; ++c) sum[kPanel + c] += double(omega[r * kPanel + c]);
    }
    put_tile(tile, row, rows, p, out.by_distance);
  });
  for (std::size_t i = 0; i < of.rows(); ++i) {
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
void entries_float(MatrixView<const float> x, const PointPanels<float>& y, double q, const RadialEntries<float>& out,
                   float* s) {
  entries(x, y, q, out, s);
}
void entries_double(MatrixView<const double> x, const PointPanels<double>& y, double q,
                    const RadialEntries<double>& out, double* s) {
  entries(x, y, q, out, s);
}
void slope_float(const RadialEntries<float>& of, double q, const RadialSlope<float>& out, float* s, double* sums) {
  slope(of, q, out, s, sums);
}
void slope_double(const RadialEntries<double>& of, double q, const RadialSlope<double>& out, double* s, double* sums) {
  slope(of, q, out, s, sums);
}

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::cpu {

HWY_EXPORT(radial_float);
HWY_EXPORT(radial_double);
HWY_EXPORT(entries_float);
HWY_EXPORT(entries_double);
HWY_EXPORT(slope_float);
HWY_EXPORT(slope_double);

namespace {

// Norms of the points, packed rows.
template <class T>
T* scratch_for(std::size_t inputs, std::size_t count) {
  thread_local AlignedVector<T> scratch;
  const std::size_t needed = inputs * 8 + (count + 15) / 16 * 16;
  if (scratch.size() < needed) scratch.resize(needed);
  return scratch.data();
}

double* zero_sums(std::size_t rows) {
  thread_local AlignedVector<double> sums;
  sums.assign(rows * 32, 0.0);
  return sums.data();
}

}  // namespace

template <>
void Operations::radial_block(MatrixView<const float> x, const PointPanels<float>& y, double q, MatrixView<float> k) {
  HWY_DYNAMIC_DISPATCH(radial_float)(x, y, q, k, scratch_for<float>(y.inputs, y.count));
}
template <>
void Operations::radial_block(MatrixView<const double> x, const PointPanels<double>& y, double q,
                              MatrixView<double> k) {
  HWY_DYNAMIC_DISPATCH(radial_double)(x, y, q, k, scratch_for<double>(y.inputs, y.count));
}

template <>
void Operations::radial_entries(MatrixView<const float> x, const PointPanels<float>& y, double q,
                                const RadialEntries<float>& out) {
  HWY_DYNAMIC_DISPATCH(entries_float)(x, y, q, out, scratch_for<float>(y.inputs, y.count));
}
template <>
void Operations::radial_entries(MatrixView<const double> x, const PointPanels<double>& y, double q,
                                const RadialEntries<double>& out) {
  HWY_DYNAMIC_DISPATCH(entries_double)(x, y, q, out, scratch_for<double>(y.inputs, y.count));
}
template <>
void Operations::radial_slope(const RadialEntries<float>& of, double q, const RadialSlope<float>& out) {
  HWY_DYNAMIC_DISPATCH(slope_float)(of, q, out, scratch_for<float>(out.right.inputs, 0), zero_sums(of.rows()));
}
template <>
void Operations::radial_slope(const RadialEntries<double>& of, double q, const RadialSlope<double>& out) {
  HWY_DYNAMIC_DISPATCH(slope_double)(of, q, out, scratch_for<double>(out.right.inputs, 0), zero_sums(of.rows()));
}

}  // namespace bochner::cpu
#endif
