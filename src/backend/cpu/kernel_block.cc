// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cmath>
#include <limits>
#include <type_traits>

#include "backend/cpu/operations.h"
#include "backend/cpu/targets.h"
#include "base/aligned.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernel_block.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/cpu/elementary-inl.h"
#include "backend/cpu/tile-inl.h"

// As fourier.cc: tiles of 6 rows go through a group of panels that stays in L2, a register tile of 6 rows x up to 16
// landmarks sums over the inputs in their order, and a short tile is filled up with copies of its last row. The sums
// are of differences: twice the operations of |x|^2 + |y|^2 - 2 x y, but a float keeps its digits wherever the rows
// lie, and the product with the factor that follows costs more.
HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

static_assert(kPanel == Landmarks<float>::kPanel);
constexpr std::size_t kGroupBytes = 512 << 10;  // panels that lie beside the rows in L2

enum class Norm { l2, l1, product };

constexpr Norm norm_of(KernelShape shape) {
  return shape == KernelShape::exponential1 ? Norm::l1 : shape == KernelShape::cauchy ? Norm::product : Norm::l2;
}

// values = the kernel of the sums (or products) over inputs in them, in place; a NaN stays one.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V kernel_of(D d, KernelShape shape, V alpha, V s) {
  const auto one = hn::Set(d, hn::TFromD<D>(1));
  switch (shape) {
    case KernelShape::squared:
      return s;
    case KernelShape::gaussian:
      return exp_negative(d, hn::Mul(s, hn::Set(d, hn::TFromD<D>(-0.5))));
    case KernelShape::exponential2:
      return exp_negative(d, hn::Neg(hn::Sqrt(s)));
    case KernelShape::matern32: {
      const V a = hn::Sqrt(hn::Mul(s, hn::Set(d, hn::TFromD<D>(3))));
      return hn::Mul(hn::Add(one, a), exp_negative(d, hn::Neg(a)));
    }
    case KernelShape::matern52: {
      const V a2 = hn::Mul(s, hn::Set(d, hn::TFromD<D>(5)));
      const V a = hn::Sqrt(a2);
      const V polynomial = fused_add(a2, hn::Set(d, hn::TFromD<D>(1.0 / 3)), hn::Add(one, a));
      return hn::Mul(polynomial, exp_negative(d, hn::Neg(a)));
    }
    case KernelShape::rational: {
      const V u = hn::Div(s, hn::Add(alpha, alpha));
      const V finite = hn::Min(u, hn::Set(d, std::numeric_limits<hn::TFromD<D>>::max()));
      return exp_negative(d, hn::Neg(hn::Mul(alpha, log1p_positive(d, finite))));
    }
    case KernelShape::exponential1:
      return exp_negative(d, hn::Neg(s));
    case KernelShape::cauchy:
      return hn::Div(one, s);
  }
  return s;
}

// Not inlined: one copy of the exponentials serves dense and CSR rows. `count` is a multiple of kPanel.
template <class T>
HWY_NOINLINE void finish(KernelShape shape, T alpha, T* HWY_RESTRICT values, std::size_t count) {
  const Tag<T> d;
  // Every kernel but the rational is 0 to float beyond this, and products with a matern's polynomial stay finite.
  const auto most = hn::Set(d, std::is_same_v<T, float> ? T(1e30) : T(1e280));
  const auto a = hn::Set(d, alpha);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto s = hn::LoadU(d, values + i);
    const auto k = kernel_of(d, shape, a, hn::Min(s, most));
    hn::StoreU(hn::IfThenElse(hn::IsNaN(s), s, k), d, values + i);
  }
}

// sums = of one tile of rows and one panel, kTileRows x kPanel. Not inlined: the sums want all the registers.
template <Norm kNorm, class T, std::size_t kVectors>
HWY_NOINLINE void sum_tile(const T* HWY_RESTRICT packed, const T* HWY_RESTRICT panel, std::size_t inputs,
                           T* HWY_RESTRICT sums) {
  using V = hn::Vec<Tag<T>>;
  const Tag<T> d;
  constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());
  for (std::size_t c = 0; c < kPanel; c += kVectors * kLanes) {
    V sum[kTileRows][kVectors];
    const V one = hn::Set(d, T(1));
    unrolled<kTileRows>([&](auto r) BOCHNER_INLINE {
      unrolled<kVectors>([&](auto v) BOCHNER_INLINE { sum[r][v] = kNorm == Norm::product ? one : hn::Zero(d); });
    });
    const T* x = packed;
    const T* y = panel + c;
    for (std::size_t j = 0; j < inputs; ++j, x += kPackedRows, y += kPanel) {
      V yv[kVectors];
      unrolled<kVectors>([&](auto v) BOCHNER_INLINE { yv[v] = hn::LoadU(d, y + v * kLanes); });
      unrolled<kTileRows>([&](auto r) BOCHNER_INLINE {
        const V xr = hn::Set(d, x[r]);
        unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
          if constexpr (kNorm == Norm::l1) {
            sum[r][v] = hn::Add(sum[r][v], hn::Abs(hn::Sub(xr, yv[v])));
          } else {
            const V delta = hn::Sub(xr, yv[v]);
            if constexpr (kNorm == Norm::l2)
              sum[r][v] = fused_add(delta, delta, sum[r][v]);
            else
              sum[r][v] = hn::Mul(sum[r][v], fused_add(delta, delta, one));
          }
        });
      });
    }
    unrolled<kTileRows>([&](auto r) BOCHNER_INLINE {
      unrolled<kVectors>([&](auto v) BOCHNER_INLINE { hn::StoreU(sum[r][v], d, sums + r * kPanel + c + v * kLanes); });
    });
  }
}

// packed[j][r] = x(first + r, j) / length scale of j; rows beyond the block repeat its last.
template <class T>
void pack_scaled(const RowBlock<T>& x, const T* HWY_RESTRICT factor, std::size_t first, std::size_t count,
                 T* HWY_RESTRICT packed) {
  const T* row[kTileRows];
  for (std::size_t r = 0; r < kTileRows; ++r) row[r] = x.values + (first + HWY_MIN(r, count - 1)) * x.stride;
  for (std::size_t j = 0; j < x.cols; ++j, packed += kPackedRows)
    unrolled<kTileRows>([&](auto r) BOCHNER_INLINE { packed[r] = row[r][j] * factor[j]; });
}

template <Norm kNorm, class T>
void dense(const RowBlock<T>& x, const Landmarks<T>& y, MatrixView<T> k, T* HWY_RESTRICT packed) {
  const std::size_t panels = (y.count + kPanel - 1) / kPanel;
  const std::size_t group = HWY_MAX(std::size_t(8), kGroupBytes / (y.inputs * kPanel * sizeof(T)));
  alignas(64) T tile[kTileRows * kPanel];
  for (std::size_t begin = 0; begin < panels; begin += group) {
    for (std::size_t row = 0; row < x.rows; row += kTileRows) {
      const std::size_t rows = HWY_MIN(kTileRows, x.rows - row);
      pack_scaled(x, y.factor.data(), row, rows, packed);
      for (std::size_t p = begin; p < HWY_MIN(panels, begin + group); ++p) {
        sum_tile<kNorm, T, tile_vectors<T>()>(packed, y.panels.data() + p * y.inputs * kPanel, y.inputs, tile);
        finish(y.shape, y.alpha, tile, kTileRows * kPanel);
        const std::size_t columns = HWY_MIN(kPanel, y.count - p * kPanel);
        for (std::size_t r = 0; r < rows; ++r)
          for (std::size_t c = 0; c < columns; ++c) k(row + r, p * kPanel + c) = tile[r * kPanel + c];
      }
    }
  }
}

// Sums in double, from the landmark's distance to 0, less what the row's own inputs change: cancellation loses nothing
// that a float could show.
template <Norm kNorm, class T>
HWY_NOINLINE void sum_sparse(const RowBlock<T>& x, std::size_t row, const Landmarks<T>& y, std::size_t p,
                             T* HWY_RESTRICT sums) {
  const hn::CappedTag<double, kPanel> d;
  const hn::Rebind<T, decltype(d)> dt;
  constexpr std::size_t kLanes = hn::MaxLanes(hn::CappedTag<double, kPanel>());
  constexpr std::size_t kVectors = kPanel / kLanes;
  using V = hn::Vec<decltype(d)>;
  const auto load = [&](const T* from) BOCHNER_INLINE {
    if constexpr (std::is_same_v<T, double>)
      return hn::LoadU(d, from);
    else
      return hn::PromoteTo(d, hn::LoadU(dt, from));
  };
  const T* HWY_RESTRICT panel = y.panels.data() + p * y.inputs * kPanel;
  const V one = hn::Set(d, 1.0);
  V sum[kVectors];
  unrolled<kVectors>([&](auto v) BOCHNER_INLINE { sum[v] = hn::LoadU(d, y.origin.data() + p * kPanel + v * kLanes); });
  for (std::size_t i = x.offsets[row]; i < x.offsets[row + 1]; ++i) {
    const V xv = hn::Set(d, double(T(x.values[i] * y.factor[x.columns[i]])));
    const T* point = panel + x.columns[i] * kPanel;
    unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
      const V yv = load(point + v * kLanes);
      const V delta = hn::Sub(xv, yv);
      if constexpr (kNorm == Norm::l2)  // (x - y)^2 - y^2
        sum[v] = fused_add(xv, hn::Sub(delta, yv), sum[v]);
      else if constexpr (kNorm == Norm::l1)
        sum[v] = hn::Add(sum[v], hn::Sub(hn::Abs(delta), hn::Abs(yv)));
      else
        sum[v] = hn::Mul(sum[v], hn::Div(fused_add(delta, delta, one), fused_add(yv, yv, one)));
    });
  }
  const V least = kNorm == Norm::product ? one : hn::Zero(d);
  unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
    const V s = hn::IfThenElse(hn::Lt(sum[v], least), least, sum[v]);
    if constexpr (std::is_same_v<T, double>)
      hn::StoreU(s, d, sums + v * kLanes);
    else
      hn::StoreU(hn::DemoteTo(dt, s), dt, sums + v * kLanes);
  });
}

template <Norm kNorm, class T>
void sparse(const RowBlock<T>& x, const Landmarks<T>& y, MatrixView<T> k) {
  alignas(64) T sums[kPanel];
  for (std::size_t p = 0; p * kPanel < y.count; ++p) {
    const std::size_t columns = HWY_MIN(kPanel, y.count - p * kPanel);
    for (std::size_t row = 0; row < x.rows; ++row) {
      sum_sparse<kNorm>(x, row, y, p, sums);
      finish(y.shape, y.alpha, sums, kPanel);
      for (std::size_t c = 0; c < columns; ++c) k(row, p * kPanel + c) = sums[c];
    }
  }
}

template <class T>
void run(const RowBlock<T>& x, const Landmarks<T>& y, MatrixView<T> k, T* packed) {
  switch (norm_of(y.shape)) {
    case Norm::l2:
      return x.sparse() ? sparse<Norm::l2>(x, y, k) : dense<Norm::l2>(x, y, k, packed);
    case Norm::l1:
      return x.sparse() ? sparse<Norm::l1>(x, y, k) : dense<Norm::l1>(x, y, k, packed);
    case Norm::product:
      return x.sparse() ? sparse<Norm::product>(x, y, k) : dense<Norm::product>(x, y, k, packed);
  }
}

void kernel_float(const RowBlock<float>& x, const Landmarks<float>& y, MatrixView<float> k, float* packed) {
  run(x, y, k, packed);
}
void kernel_double(const RowBlock<double>& x, const Landmarks<double>& y, MatrixView<double> k, double* packed) {
  run(x, y, k, packed);
}

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::cpu {

HWY_EXPORT(kernel_float);
HWY_EXPORT(kernel_double);

namespace {

void dispatch(const RowBlock<float>& x, const Landmarks<float>& y, MatrixView<float> k, float* packed) {
  HWY_DYNAMIC_DISPATCH(kernel_float)(x, y, k, packed);
}
void dispatch(const RowBlock<double>& x, const Landmarks<double>& y, MatrixView<double> k, double* packed) {
  HWY_DYNAMIC_DISPATCH(kernel_double)(x, y, k, packed);
}

}  // namespace

template <class T>
void Operations::kernel_block(const RowBlock<T>& x, const Landmarks<T>& y, MatrixView<T> k) {
  thread_local AlignedVector<T> packed;
  if (packed.size() < y.inputs * 8) packed.resize(y.inputs * 8);
  dispatch(x, y, k, packed.data());
}

template void Operations::kernel_block(const RowBlock<float>&, const Landmarks<float>&, MatrixView<float>);
template void Operations::kernel_block(const RowBlock<double>&, const Landmarks<double>&, MatrixView<double>);

}  // namespace bochner::cpu
#endif
