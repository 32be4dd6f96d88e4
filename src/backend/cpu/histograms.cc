// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/histograms.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "backend/column_product.h"
#include "backend/cpu/operations.h"
#include "backend/cpu/target_choice.h"
#include "backend/cpu/targets.h"
#include "base/lease.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/histograms.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/cpu/elementary-inl.h"
#include "backend/cpu/turns-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
class Signatures {
  using V = hn::Vec<Tag<T>>;
  static constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());
  static constexpr std::size_t kVectors = kPanel / kLanes;

 public:
  Signatures(std::span<const T> roots, T turns) : roots_(roots), turns_(turns), circle_(Tag<T>(), T(1)) {}

  // Samples lie `stride` apart; `count` is at most kPanel.
  void panel(const T* HWY_RESTRICT x, std::size_t count, T* HWY_RESTRICT z, std::size_t stride) const {
    const Tag<T> d;
    HWY_ALIGN T first[2][kPanel];
    V root[kVectors], angle[kVectors], c[kVectors], s[kVectors];
    unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
      const V value = hn::LoadU(d, x + v * kLanes);
      const auto counts = hn::Ge(value, hn::Set(d, std::numeric_limits<T>::min()));
      const V safe = hn::IfThenElse(counts, value, hn::Set(d, T(1)));
      root[v] = hn::IfThenElseZero(counts, hn::Sqrt(safe));
      angle[v] = hn::Mul(hn::Set(d, turns_), log_positive(d, safe));
    });
    circle_.cosine_sine(angle, first[0], first[1]);
    write(root, roots_[0], count, z);
    unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
      c[v] = root[v];
      s[v] = hn::Zero(d);
    });
    for (std::size_t m = 1; m < roots_.size(); ++m) {
      // exp(i m t) = exp(i (m - 1) t) exp(i t)
      unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
        const V c1 = hn::LoadU(d, first[0] + v * kLanes), s1 = hn::LoadU(d, first[1] + v * kLanes);
        const V before = c[v];
        c[v] = fused_subtract(s[v], s1, hn::Mul(before, c1));
        s[v] = fused_add(before, s1, hn::Mul(s[v], c1));
      });
      write(c, roots_[m], count, z + (2 * m - 1) * stride);
      write(s, roots_[m], count, z + 2 * m * stride);
    }
  }

 private:
  HWY_INLINE void write(const V (&values)[kVectors], T factor, std::size_t count, T* HWY_RESTRICT to) const {
    const Tag<T> d;
    HWY_ALIGN T edge[kPanel];
    T* const out = count == kPanel ? to : edge;
    unrolled<kVectors>([&](auto v)
                           BOCHNER_INLINE { hn::StoreU(hn::Mul(values[v], hn::Set(d, factor)), d, out + v * kLanes); });
    if (out == edge) std::copy_n(edge, count, to);
  }

  std::span<const T> roots_;
  T turns_;
  const Turns<Tag<T>> circle_;
};

template <class T>
void sample(MatrixView<const T> x, std::span<const T> roots, T turns, MatrixView<T> z) {
  const Signatures<T> signatures(roots, turns);
  const std::size_t whole = x.cols / kPanel * kPanel;
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t j = 0; j < whole; j += kPanel) signatures.panel(x.row(i) + j, kPanel, z.row(i) + j, x.cols);
    if (whole == x.cols) continue;
    HWY_ALIGN T edge[kPanel] = {};
    std::copy(x.row(i) + whole, x.row(i) + x.cols, edge);
    signatures.panel(edge, x.cols - whole, z.row(i) + whole, x.cols);
  }
}

template <class T>
void skewed_logs(const T* HWY_RESTRICT x, std::size_t count, T skew, T* HWY_RESTRICT y) {
  const Tag<T> d;
  constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());
  const auto log = [&](const T* from, T* to) BOCHNER_INLINE {
    const auto value = hn::LoadU(d, from);
    const auto positive = hn::IfThenElseZero(hn::Gt(value, hn::Zero(d)), value);
    hn::StoreU(log_positive(d, hn::Add(positive, hn::Set(d, skew))), d, to);
  };
  std::size_t j = 0;
  for (; j + kLanes <= count; j += kLanes) log(x + j, y + j);
  HWY_ALIGN T edge[kLanes] = {};
  std::copy(x + j, x + count, edge);
  log(edge, edge);
  std::copy_n(edge, count - j, y + j);
}

void logs_float(MatrixView<const float> x, float skew, MatrixView<float> y) {
  for (std::size_t i = 0; i < x.rows; ++i) skewed_logs(x.row(i), x.cols, skew, y.row(i));
}
void logs_double(MatrixView<const double> x, double skew, MatrixView<double> y) {
  for (std::size_t i = 0; i < x.rows; ++i) skewed_logs(x.row(i), x.cols, skew, y.row(i));
}
void sample_float(MatrixView<const float> x, std::span<const float> roots, float turns, MatrixView<float> z) {
  sample(x, roots, turns, z);
}
void sample_double(MatrixView<const double> x, std::span<const double> roots, double turns, MatrixView<double> z) {
  sample(x, roots, turns, z);
}

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner {

namespace cpu {
HWY_EXPORT(sample_float);
HWY_EXPORT(sample_double);
HWY_EXPORT(logs_float);
HWY_EXPORT(logs_double);

namespace {
void dispatch(MatrixView<const float> x, std::span<const float> roots, float turns, MatrixView<float> z) {
  HWY_DYNAMIC_DISPATCH(sample_float)(x, roots, turns, z);
}
void dispatch(MatrixView<const double> x, std::span<const double> roots, double turns, MatrixView<double> z) {
  HWY_DYNAMIC_DISPATCH(sample_double)(x, roots, turns, z);
}
void dispatch(MatrixView<const float> x, float skew, MatrixView<float> y) {
  HWY_DYNAMIC_DISPATCH(logs_float)(x, skew, y);
}
void dispatch(MatrixView<const double> x, double skew, MatrixView<double> y) {
  HWY_DYNAMIC_DISPATCH(logs_double)(x, skew, y);
}
}  // namespace
}  // namespace cpu

template <class T>
void sample_signatures(MatrixView<const T> x, std::span<const T> roots, T turns, MatrixView<T> z) {
  cpu::choose_target();
  cpu::dispatch(x, roots, turns, z);
}

template <class T>
void skewed_cosines(MatrixView<const T> x, const SkewedCosines<T>& of, MatrixView<T> z) {
  cpu::choose_target();
  const Lease<T> logs(x.rows * x.cols), turns(z.rows * z.cols);
  const MatrixView<T> a{logs.data(), x.rows, x.cols, x.cols}, angles{turns.data(), z.rows, z.cols, z.cols};
  const std::vector<T> ones(z.cols, T(1));
  cpu::dispatch(x, of.skew, a);
  row_product(a, of.W, angles);
  cpu::Operations::cosines<T>(angles, ones.data(), of.phase, of.scale, z);
}

template void skewed_cosines(MatrixView<const float>, const SkewedCosines<float>&, MatrixView<float>);
template void skewed_cosines(MatrixView<const double>, const SkewedCosines<double>&, MatrixView<double>);
template void sample_signatures(MatrixView<const float>, std::span<const float>, float, MatrixView<float>);
template void sample_signatures(MatrixView<const double>, std::span<const double>, double, MatrixView<double>);

}  // namespace bochner
#endif
