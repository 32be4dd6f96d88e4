// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/gaussians.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "backend/cpu/targets.h"
#include "base/lease.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/gaussians.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/cpu/elementary-inl.h"
#include "backend/cpu/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kRows = 4;                              // rows of a tile of squares
constexpr std::size_t kInputs = 32;                           // that are summed in T before they join a double
constexpr std::size_t kMostSquares = 4;                       // vectors of Gaussians of a tile
constexpr std::size_t kMostMoments = kManyRegisters ? 5 : 3;  // vectors of inputs whose sums stay in registers
constexpr double kLeastShare = 0x1p-36;
constexpr double kLeastLog = -40;  // below the largest: adds nothing to a sum of exponentials in double

// step(vectors, begin) for all of `count` vectors, at most kMost at a time and as evenly as can be, so that no step is
// one short chain of operations.
template <std::size_t kMost, class Step>
HWY_INLINE void in_even_steps(std::size_t count, const Step& step) {
  const std::size_t steps = (count + kMost - 1) / kMost;
  for (std::size_t s = 0; s < steps; ++s) {
    const std::size_t begin = s * count / steps, vectors = (s + 1) * count / steps - begin;
    unrolled<kMost>([&](auto v) BOCHNER_INLINE {
      if (vectors == v + 1) step(std::integral_constant<std::size_t, v + 1>(), begin);
    });
  }
}

// Rows of a tile against some vectors of Gaussians.
template <class T, std::size_t kVectors>
HWY_NOINLINE void squares_of_tile(const T* const (&rows)[kRows], const DiagonalGaussians<T>& g, std::size_t first,
                                  double* HWY_RESTRICT wide) {
  const Tag<T> d;
  constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>()), kWidth = kVectors * kLanes;
  alignas(64) T tile[kRows * kWidth];
  for (std::size_t begin = 0; begin < g.inputs; begin += kInputs) {
    hn::Vec<Tag<T>> sum[kRows][kVectors];
    unrolled<kRows>(
        [&](auto r) BOCHNER_INLINE { unrolled<kVectors>([&](auto v) BOCHNER_INLINE { sum[r][v] = hn::Zero(d); }); });
    const std::size_t end = HWY_MIN(g.inputs, begin + kInputs);
    const T* HWY_RESTRICT factor = g.values.data() + 2 * begin * g.stride + first;
    for (std::size_t j = begin; j < end; ++j, factor += 2 * g.stride) {
      const T* HWY_RESTRICT shift = factor + g.stride;
      unrolled<kRows>([&](auto r) BOCHNER_INLINE {
        const auto x = hn::Set(d, rows[r][j]);
        unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
          const auto u = fused_add(x, hn::LoadU(d, factor + v * kLanes), hn::LoadU(d, shift + v * kLanes));
          sum[r][v] = fused_add(u, u, sum[r][v]);
        });
      });
    }
    unrolled<kRows>([&](auto r) BOCHNER_INLINE {
      unrolled<kVectors>([&](auto v) BOCHNER_INLINE { hn::StoreU(sum[r][v], d, tile + r * kWidth + v * kLanes); });
    });
    for (std::size_t i = 0; i < kRows * kWidth; ++i) wide[i] = (begin == 0 ? 0.0 : wide[i]) + double(tile[i]);
  }
}

// moved: kRows of rows less the origin.
template <class T>
void squares(MatrixView<const T> x, const DiagonalGaussians<T>& g, std::size_t first, T* HWY_RESTRICT moved,
             MatrixView<double> out) {
  constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());
  alignas(64) double wide[kRows * kMostSquares * kLanes];
  for (std::size_t i = 0; i < x.rows; i += kRows) {
    const T* rows[kRows];
    for (std::size_t r = 0; r < kRows; ++r) {
      const T* HWY_RESTRICT row = x.row(HWY_MIN(i + r, x.rows - 1));
      T* HWY_RESTRICT to = moved + r * g.inputs;
      for (std::size_t j = 0; j < g.inputs; ++j) to[j] = row[j] - g.origin[j];
      rows[r] = to;
    }
    in_even_steps<kMostSquares>((out.cols + kLanes - 1) / kLanes, [&](auto vectors, std::size_t begin) BOCHNER_INLINE {
      constexpr std::size_t kWidth = decltype(vectors)::value * kLanes;
      squares_of_tile<T, decltype(vectors)::value>(rows, g, first + begin * kLanes, wide);
      const std::size_t width = HWY_MIN(kWidth, out.cols - begin * kLanes);
      for (std::size_t r = 0; r < HWY_MIN(kRows, x.rows - i); ++r)
        std::copy_n(wide + r * kWidth, width, out.row(i + r) + begin * kLanes);
    });
  }
}

// Rows lie side by side in `lanes`, M x kSharedRows, so that every step is one of vectors and sums are in the order of
// the components.
constexpr std::size_t kSharedRows = 8;

// Numbers of one precision as those of the other, or as they are.
template <class D, class V>
HWY_INLINE hn::Vec<D> as(D d, V x) {
  constexpr std::size_t from = sizeof(hn::TFromV<V>), to = sizeof(hn::TFromD<D>);
  if constexpr (from == to)
    return x;
  else if constexpr (from > to)
    return hn::DemoteTo(d, x);
  else
    return hn::PromoteTo(d, x);
}

// x -> e^x of kSharedRows numbers <= 0, computed in T; 0 below kLeastLog, as of most Gaussians that lie apart.
template <class T>
HWY_INLINE void exponentials(T* HWY_RESTRICT x) {
  const hn::CappedTag<T, kSharedRows> d;
  for (std::size_t i = 0; i < kSharedRows; i += hn::MaxLanes(d)) {
    const auto v = hn::LoadU(d, x + i);
    const auto counts = hn::Ge(v, hn::Set(d, T(kLeastLog)));
    hn::StoreU(hn::AllFalse(d, counts) ? hn::Zero(d) : hn::IfThenElseZero(counts, exp_negative(d, v)), d, x + i);
  }
}

template <class T>
HWY_NOINLINE void shares_of_lanes(std::size_t M, double* HWY_RESTRICT lanes, double* HWY_RESTRICT log_sums) {
  const hn::CappedTag<double, kSharedRows> d;
  constexpr std::size_t kLanes = hn::MaxLanes(d), kVectors = kSharedRows / kLanes;
  using V = hn::Vec<decltype(d)>;
  const V lowest = hn::Set(d, std::numeric_limits<double>::lowest()), least = hn::Set(d, kLeastShare);
  V most[kVectors], sum[kVectors];
  unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
    most[v] = hn::LoadU(d, lanes + v * kLanes);
    sum[v] = hn::Zero(d);
  });
  for (std::size_t m = 1; m < M; ++m)
    unrolled<kVectors>(
        [&](auto v) BOCHNER_INLINE { most[v] = hn::Max(most[v], hn::LoadU(d, lanes + m * kSharedRows + v * kLanes)); });
  const hn::Rebind<T, decltype(d)> narrow;
  alignas(64) T shares[kSharedRows];
  for (std::size_t m = 0; m < M; ++m) {
    double* const of_component = lanes + m * kSharedRows;
    unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
      const V below = hn::Sub(hn::LoadU(d, of_component + v * kLanes), hn::Max(most[v], lowest));
      hn::StoreU(as(narrow, below), narrow, shares + v * kLanes);
    });
    exponentials(shares);
    unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
      const V share = as(d, hn::LoadU(narrow, shares + v * kLanes));
      hn::StoreU(share, d, of_component + v * kLanes);
      sum[v] = hn::Add(sum[v], share);
    });
  }
  unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
    // No component is nearer than another if all are out of range: the sum is 0 and so are the shares.
    const auto some = hn::Gt(sum[v], hn::Zero(d));
    const V safe = hn::IfThenElse(some, sum[v], hn::Set(d, 1.0));
    hn::StoreU(hn::Add(most[v], log_positive(d, safe)), d, log_sums + v * kLanes);
    sum[v] = hn::Div(hn::Set(d, 1.0), safe);
  });
  for (std::size_t m = 0; m < M; ++m)
    unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
      double* const at = lanes + m * kSharedRows + v * kLanes;
      const V share = hn::Mul(hn::LoadU(d, at), sum[v]);
      hn::StoreU(hn::IfThenElseZero(hn::Ge(share, least), share), d, at);
    });
}

template <class T>
void shares(MatrixView<double> joint, double* HWY_RESTRICT log_sums, double* HWY_RESTRICT lanes) {
  const std::size_t M = joint.cols;
  alignas(64) double sums[kSharedRows];
  for (std::size_t begin = 0; begin < joint.rows; begin += kSharedRows) {
    const std::size_t rows = HWY_MIN(kSharedRows, joint.rows - begin);
    const double* from[kSharedRows];
    for (std::size_t r = 0; r < kSharedRows; ++r) from[r] = joint.row(begin + HWY_MIN(r, rows - 1));
    for (std::size_t m = 0; m < M; ++m)
      unrolled<kSharedRows>([&](auto r) BOCHNER_INLINE { lanes[m * kSharedRows + r] = from[r][m]; });
    shares_of_lanes<T>(M, lanes, sums);
    for (std::size_t r = 0; r < rows; ++r) {
      double* const row = joint.row(begin + r);
      for (std::size_t m = 0; m < M; ++m) row[m] = lanes[m * kSharedRows + r];
      log_sums[begin + r] = sums[r];
    }
  }
}

template <class T, std::size_t kVectors>
HWY_NOINLINE void moments_of_columns(const SharedRows<T>& rows, std::size_t column, const T* HWY_RESTRICT center,
                                     double* HWY_RESTRICT first, double* HWY_RESTRICT second) {
  const Tag<T> d;
  constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());
  hn::Vec<Tag<T>> sum[kVectors], square[kVectors], c[kVectors];
  unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
    sum[v] = square[v] = hn::Zero(d);
    c[v] = hn::LoadU(d, center + column + v * kLanes);
  });
  const T* const x = rows.x.data + column;
  for (std::size_t i = 0; i < rows.count; ++i) {
    const T* HWY_RESTRICT row = x + rows.at[i] * rows.x.stride;
    const auto r = hn::Set(d, rows.shares[i]);
    unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
      const auto t = hn::Sub(hn::LoadU(d, row + v * kLanes), c[v]);
      const auto s = hn::Mul(r, t);
      sum[v] = hn::Add(sum[v], s);
      square[v] = fused_add(s, t, square[v]);
    });
  }
  alignas(64) T parts[2][kVectors * kLanes];
  unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
    hn::StoreU(sum[v], d, parts[0] + v * kLanes);
    hn::StoreU(square[v], d, parts[1] + v * kLanes);
  });
  for (std::size_t j = 0; j < kVectors * kLanes; ++j) {
    first[column + j] += double(parts[0][j]);
    second[column + j] += double(parts[1][j]);
  }
}

template <class T>
void moments(const SharedRows<T>& rows, const T* center, double* first, double* second) {
  constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());
  static_assert(kMomentColumns % kLanes == 0);
  in_even_steps<kMostMoments>((rows.x.cols + kLanes - 1) / kLanes, [&](auto vectors, std::size_t begin) BOCHNER_INLINE {
    moments_of_columns<T, decltype(vectors)::value>(rows, begin * kLanes, center, first, second);
  });
}

void squares_float(MatrixView<const float> x, const DiagonalGaussians<float>& g, std::size_t first, float* moved,
                   MatrixView<double> out) {
  squares(x, g, first, moved, out);
}
void squares_double(MatrixView<const double> x, const DiagonalGaussians<double>& g, std::size_t first, double* moved,
                    MatrixView<double> out) {
  squares(x, g, first, moved, out);
}
void shares_float(MatrixView<double> joint, double* log_sums, double* lanes) { shares<float>(joint, log_sums, lanes); }
void shares_double(MatrixView<double> joint, double* log_sums, double* lanes) {
  shares<double>(joint, log_sums, lanes);
}
void moments_float(const SharedRows<float>& rows, const float* center, double* first, double* second) {
  moments(rows, center, first, second);
}
void moments_double(const SharedRows<double>& rows, const double* center, double* first, double* second) {
  moments(rows, center, first, second);
}

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner {

namespace cpu {
HWY_EXPORT(squares_float);
HWY_EXPORT(squares_double);
HWY_EXPORT(shares_float);
HWY_EXPORT(shares_double);
HWY_EXPORT(moments_float);
HWY_EXPORT(moments_double);

namespace {
void dispatch(MatrixView<const float> x, const DiagonalGaussians<float>& g, std::size_t first, float* moved,
              MatrixView<double> out) {
  HWY_DYNAMIC_DISPATCH(squares_float)(x, g, first, moved, out);
}
void dispatch(MatrixView<const double> x, const DiagonalGaussians<double>& g, std::size_t first, double* moved,
              MatrixView<double> out) {
  HWY_DYNAMIC_DISPATCH(squares_double)(x, g, first, moved, out);
}
void dispatch(const SharedRows<float>& rows, const float* center, double* first, double* second) {
  HWY_DYNAMIC_DISPATCH(moments_float)(rows, center, first, second);
}
void dispatch(const SharedRows<double>& rows, const double* center, double* first, double* second) {
  HWY_DYNAMIC_DISPATCH(moments_double)(rows, center, first, second);
}
template <class T>
void dispatch_shares(MatrixView<double> joint, double* log_sums, double* lanes) {
  if constexpr (std::is_same_v<T, float>)
    HWY_DYNAMIC_DISPATCH(shares_float)(joint, log_sums, lanes);
  else
    HWY_DYNAMIC_DISPATCH(shares_double)(joint, log_sums, lanes);
}
}  // namespace
}  // namespace cpu

template <class T>
DiagonalGaussians<T>::DiagonalGaussians(std::size_t count, std::size_t inputs)
    : inputs(inputs), stride((count + 31) / 16 * 16), origin(inputs), values(2 * inputs * stride, T(0)) {}

template <class T>
void diagonal_squares(MatrixView<const T> x, const DiagonalGaussians<T>& g, std::size_t first,
                      MatrixView<double> squares) {
  const Lease<T> moved(4 * g.inputs);
  cpu::dispatch(x, g, first, moved.data(), squares);
}

template <class T>
void joint_to_shares(MatrixView<double> joint, double* log_sums) {
  const Lease<double> lanes(joint.cols * 8);
  cpu::dispatch_shares<T>(joint, log_sums, lanes.data());
}

template <class T>
void add_moments(const SharedRows<T>& rows, const T* center, double* first, double* second) {
  cpu::dispatch(rows, center, first, second);
}

template struct DiagonalGaussians<float>;
template struct DiagonalGaussians<double>;
template void diagonal_squares(MatrixView<const float>, const DiagonalGaussians<float>&, std::size_t,
                               MatrixView<double>);
template void diagonal_squares(MatrixView<const double>, const DiagonalGaussians<double>&, std::size_t,
                               MatrixView<double>);
template void joint_to_shares<float>(MatrixView<double>, double*);
template void joint_to_shares<double>(MatrixView<double>, double*);
template void add_moments(const SharedRows<float>&, const float*, double*, double*);
template void add_moments(const SharedRows<double>&, const double*, double*, double*);

}  // namespace bochner
#endif
