// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>

#include "backend/column_product.h"
#include "backend/cpu/operations.h"
#include "backend/cpu/target_choice.h"
#include "backend/cpu/targets.h"
#include "base/aligned.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/multiply.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/cpu/strips-inl.h"

// The outputs of a model. Each is summed in an order that depends on nothing but the shape of b, so that a prediction
// depends neither on the rows beside it nor on the machine; BLAS chooses its order by all the shapes. Two ways:
//   few columns: inner products. Of every kDepth terms, partial sum l takes the terms l, l + 16, l + 32, ...; the 16
//   are
//     added in halves (l and l + 8, then l and l + 4, ...), and what comes out is added to c.
//   kManyHeads columns and more: strips of rows and columns, see strips-inl.h.
HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kManyHeads = 16;
constexpr std::size_t kPartialSums = 16;
constexpr std::size_t kDepth = 1024;  // a multiple of kPartialSums
static_assert(kPartialSums == kPanel && kDepth % kPartialSums == 0);

template <class T>
struct Shape {
  static constexpr std::size_t kVectors = kPartialSums / hn::MaxLanes(Tag<T>());
  // Inner products that fit the registers together. More rows than heads: rows come from L1, heads from L2.
  static constexpr std::size_t kPairs = HWY_MAX(std::size_t(1), (kManyRegisters ? 24 : 12) / kVectors);
  static constexpr std::size_t kHeads = kPairs >= 24 ? 4 : kPairs >= 6 ? 2 : 1;
  static constexpr std::size_t kRows = kPairs / kHeads;
  static constexpr std::size_t kRowsOfOneHead = HWY_MIN(std::size_t(8), kPairs);
};

// The sum of the lanes, halves first.
template <class D, class V = hn::Vec<D>>
HWY_INLINE hn::TFromD<D> sum_halves(D, V v) {
  if constexpr (hn::MaxLanes(D()) * sizeof(hn::TFromD<D>) > 16) {
    const hn::Half<D> half;
    return sum_halves(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  } else if constexpr (hn::MaxLanes(D()) == 4) {
    const V pair = hn::Add(v, hn::Shuffle1032(v));
    return hn::GetLane(hn::Add(pair, hn::Shuffle2301(pair)));
  } else if constexpr (hn::MaxLanes(D()) == 2) {
    return hn::GetLane(hn::Add(v, hn::Shuffle01(v)));
  } else {
    return hn::GetLane(v);
  }
}

template <class T, std::size_t kVectors, class V>
HWY_INLINE T sum_partial(V (&sum)[kVectors]) {
  unrolled<kVectors == 16 ? 8 : 0>([&](auto v) BOCHNER_INLINE { sum[v] = hn::Add(sum[v], sum[v + kVectors / 2]); });
  constexpr std::size_t eighths = HWY_MIN(kVectors, std::size_t(8));
  unrolled<eighths == 8 ? 4 : 0>([&](auto v) BOCHNER_INLINE { sum[v] = hn::Add(sum[v], sum[v + 4]); });
  constexpr std::size_t quarters = HWY_MIN(kVectors, std::size_t(4));
  unrolled<quarters == 4 ? 2 : 0>([&](auto v) BOCHNER_INLINE { sum[v] = hn::Add(sum[v], sum[v + 2]); });
  if constexpr (kVectors >= 2) sum[0] = hn::Add(sum[0], sum[1]);
  return sum_halves(Tag<T>(), sum[0]);
}

// c (+)= the products of kRows rows and kHeads heads over the columns of a. Heads are zero-padded to whole steps; the
// last step of the rows goes through a buffer. Not inlined: the sums want all the registers.
template <std::size_t kRows, std::size_t kHeads, class T>
HWY_NOINLINE void tile(MatrixView<const T> rows, const T* HWY_RESTRICT heads, bool add, MatrixView<T> out) {
  const T* HWY_RESTRICT a = rows.data;
  T* HWY_RESTRICT c = out.data;
  const std::size_t a_stride = rows.stride, c_stride = out.stride, depth = rows.cols;
  using V = hn::Vec<Tag<T>>;
  const Tag<T> d;
  constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());
  constexpr std::size_t kVectors = Shape<T>::kVectors;
  V sum[kRows][kHeads][kVectors];
  unrolled<kRows>([&](auto r) BOCHNER_INLINE {
    unrolled<kHeads>(
        [&](auto h) BOCHNER_INLINE { unrolled<kVectors>([&](auto v) BOCHNER_INLINE { sum[r][h][v] = hn::Zero(d); }); });
  });
  const auto step = [&](const T* x, std::size_t stride, const T* w) BOCHNER_INLINE {
    unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
      V head[kHeads];
      unrolled<kHeads>([&](auto h) BOCHNER_INLINE { head[h] = hn::LoadU(d, w + h * kDepth + v * kLanes); });
      unrolled<kRows>([&](auto r) BOCHNER_INLINE {
        const V row = hn::LoadU(d, x + r * stride + v * kLanes);
        unrolled<kHeads>([&](auto h) BOCHNER_INLINE { sum[r][h][v] = fused_add(row, head[h], sum[r][h][v]); });
      });
    });
  };
  const std::size_t whole = depth / kPartialSums * kPartialSums;
  for (std::size_t k = 0; k < whole; k += kPartialSums) step(a + k, a_stride, heads + k);
  if (whole < depth) {
    HWY_ALIGN T last[kRows * kPartialSums] = {};
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t k = whole; k < depth; ++k) last[r * kPartialSums + k - whole] = a[r * a_stride + k];
    step(last, kPartialSums, heads + whole);
  }
  unrolled<kRows>([&](auto r) BOCHNER_INLINE {
    unrolled<kHeads>([&](auto h) BOCHNER_INLINE {
      const T product = sum_partial<T>(sum[r][h]);
      T& to = c[r * c_stride + h];
      to = add ? to + product : product;
    });
  });
}

// c (+)= a b for the columns of b, packed, over the columns of a.
template <class T>
class Heads {
 public:
  Heads(MatrixView<const T> a, const T* heads, bool add, MatrixView<T> c) : a_(a), heads_(heads), add_(add), c_(c) {}

  void run() const {
    using S = Shape<T>;
    const std::size_t left = c_.cols == 1 ? rows<S::kRowsOfOneHead, 1>(0) : rows<S::kRows, S::kHeads>(0);
    rows<1, S::kHeads>(left);
  }

 private:
  // Tiles of kRows rows from `row` on; which row was the first without one.
  template <std::size_t kRows, std::size_t kHeads>
  std::size_t rows(std::size_t row) const {
    for (; row + kRows <= a_.rows; row += kRows) {
      std::size_t head = 0;
      for (; head + kHeads <= c_.cols; head += kHeads) one_tile<kRows, kHeads>(row, head);
      for (; head < c_.cols; ++head) one_tile<kRows, 1>(row, head);
    }
    return row;
  }

  template <std::size_t kRows, std::size_t kHeads>
  void one_tile(std::size_t row, std::size_t head) const {
    tile<kRows, kHeads, T>(a_.slice(row, kRows), heads_ + head * kDepth, add_,
                           {&c_(row, head), kRows, kHeads, c_.stride});
  }

  MatrixView<const T> a_;
  const T* heads_;
  bool add_;
  MatrixView<T> c_;
};

// packed[j][k] = b(k, j), kDepth apart, zero-padded to whole steps. A few rows at a time, which stay in L1.
template <class T>
void pack_heads(MatrixView<const T> b, T* HWY_RESTRICT packed) {
  if (b.stride == 1) {  // one head
    std::copy_n(b.data, b.rows, packed);
    std::fill(packed + b.rows, packed + (b.rows + kPartialSums - 1) / kPartialSums * kPartialSums, T(0));
    return;
  }
  for (std::size_t first = 0; first < b.rows; first += kPartialSums) {
    const std::size_t count = HWY_MIN(kPartialSums, b.rows - first);
    const T* HWY_RESTRICT from = b.row(first);
    T* HWY_RESTRICT to = packed + first;
    for (std::size_t j = 0; j < b.cols; ++j, ++from, to += kDepth) {
      if (count == kPartialSums) {
        for (std::size_t k = 0; k < kPartialSums; ++k) to[k] = from[k * b.stride];
      } else {
        for (std::size_t k = 0; k < kPartialSums; ++k) to[k] = k < count ? from[k * b.stride] : T(0);
      }
    }
  }
}

template <class T>
void multiply_few(MatrixView<const T> a, MatrixView<const T> b, T beta, MatrixView<T> c, AlignedVector<T>& packed) {
  if (packed.size() < kDepth * b.cols) packed.resize(kDepth * b.cols);
  for (std::size_t begin = 0; begin < a.cols; begin += kDepth) {
    const std::size_t depth = HWY_MIN(kDepth, a.cols - begin);
    pack_heads<T>(b.slice(begin, depth), packed.data());
    Heads<T>({a.data + begin, a.rows, depth, a.stride}, packed.data(), begin > 0 || beta != T(0), c).run();
  }
}

// The sums of multiply_few for one row: kGroup of the partial sums at a time, the heads of a term in one or more
// vectors. Lanes beyond the heads hold numbers of the next row of b, which go nowhere; the last rows of b, behind which
// memory may end, come through a buffer.
template <std::size_t kVectors, class T>
HWY_NOINLINE void multiply_row_few(const T* HWY_RESTRICT a, MatrixView<const T> b, bool add, T* HWY_RESTRICT c) {
  using V = hn::Vec<Tag<T>>;
  const Tag<T> d;
  constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>()), kWidth = kVectors * kLanes;
  constexpr std::size_t kGroup = HWY_MAX(std::size_t(1), (kManyRegisters ? 16 : 8) / kVectors);  // hides latency
  const std::size_t readable = (b.rows - 1) * b.stride + b.cols;
  const std::size_t rows = readable < kWidth ? 0 : (readable - kWidth) / b.stride + 1;  // that may be loaded whole
  for (std::size_t begin = 0; begin < b.rows; begin += kDepth) {
    const std::size_t end = HWY_MIN(b.rows, begin + kDepth);
    HWY_ALIGN T sums[kPartialSums * kWidth];
    for (std::size_t l = 0; l < kPartialSums; l += kGroup) {
      V sum[kGroup][kVectors];
      unrolled<kGroup>(
          [&](auto r) BOCHNER_INLINE { unrolled<kVectors>([&](auto v) BOCHNER_INLINE { sum[r][v] = hn::Zero(d); }); });
      const auto add_term = [&](auto r, T factor, const T* row) BOCHNER_INLINE {
        unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
          sum[r][v] = fused_add(hn::Set(d, factor), hn::LoadU(d, row + v * kLanes), sum[r][v]);
        });
      };
      std::size_t k = begin + l;
      for (; k + kGroup <= HWY_MIN(end, rows); k += kPartialSums)
        unrolled<kGroup>([&](auto r) BOCHNER_INLINE { add_term(r, a[k + r], b.row(k + r)); });
      for (; k < end; k += kPartialSums)
        unrolled<kGroup>([&](auto r) BOCHNER_INLINE {
          if (k + r < HWY_MIN(end, rows)) return add_term(r, a[k + r], b.row(k + r));
          if (k + r >= end) return;
          HWY_ALIGN T row[kWidth] = {};
          std::copy_n(b.row(k + r), b.cols, row);
          add_term(r, a[k + r], row);
        });
      unrolled<kGroup>([&](auto r) BOCHNER_INLINE {
        unrolled<kVectors>([&](auto v)
                               BOCHNER_INLINE { hn::StoreU(sum[r][v], d, sums + (l + r) * kWidth + v * kLanes); });
      });
    }
    for (std::size_t half = kPartialSums / 2; half > 0; half /= 2)
      for (std::size_t i = 0; i < half * kWidth; ++i) sums[i] += sums[half * kWidth + i];
    for (std::size_t j = 0; j < b.cols; ++j) c[j] = begin > 0 || add ? c[j] + sums[j] : sums[j];
  }
}

template <class T, std::size_t kVectors = 1>
void multiply_rows_few(MatrixView<const T> a, MatrixView<const T> b, bool add, MatrixView<T> c) {
  if constexpr (kVectors * hn::MaxLanes(Tag<T>()) < kManyHeads)
    if (b.cols > kVectors * hn::MaxLanes(Tag<T>())) return multiply_rows_few<T, 2 * kVectors>(a, b, add, c);
  for (std::size_t i = 0; i < a.rows; ++i) multiply_row_few<kVectors>(a.row(i), b, add, c.row(i));
}

template <class T>
void multiply_many(MatrixView<const T> a, MatrixView<const T> b, T beta, MatrixView<T> c, AlignedVector<T>& packed) {
  multiply_by_strips<T>(
      a,
      [&](const StripPart& part, T* strips) {
        pack_strips<Strip<T>::kB>(MatrixView<const T>{b.row(part.row) + part.column, part.depth, part.cols, b.stride},
                                  strips);
      },
      beta != T(0), c, packed);
}

// The same sums for one row at a time: packing b would cost more than it saves.
template <class T>
void multiply_row(const T* HWY_RESTRICT a, MatrixView<const T> b, T beta, T* HWY_RESTRICT c, AlignedVector<T>& sums) {
  const Tag<T> d;
  constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());
  const std::size_t whole = b.cols / kLanes * kLanes;
  sums.resize(whole + kLanes);
  for (std::size_t begin = 0; begin < b.rows; begin += kStripDepth) {
    std::fill(sums.begin(), sums.end(), T(0));
    T* HWY_RESTRICT sum = sums.data();
    for (std::size_t k = begin; k < HWY_MIN(b.rows, begin + kStripDepth); ++k) {
      const auto factor = hn::Set(d, a[k]);
      const T* HWY_RESTRICT row = b.row(k);
      for (std::size_t j = 0; j < whole; j += kLanes)
        hn::StoreU(fused_add(factor, hn::LoadU(d, row + j), hn::LoadU(d, sum + j)), d, sum + j);
      HWY_ALIGN T last[kLanes] = {};
      for (std::size_t j = whole; j < b.cols; ++j) last[j - whole] = row[j];
      hn::StoreU(fused_add(factor, hn::LoadU(d, last), hn::LoadU(d, sum + whole)), d, sum + whole);
    }
    for (std::size_t j = 0; j < b.cols; ++j) c[j] = begin > 0 || beta != T(0) ? c[j] + sum[j] : sum[j];
  }
}

template <class T>
void run(MatrixView<const T> a, MatrixView<const T> b, T beta, MatrixView<T> c, AlignedVector<T>& packed) {
  constexpr std::size_t kFewRows = 4;
  if (b.cols > 1 && b.cols < kManyHeads && a.rows <= kFewRows && b.rows > 0)
    return multiply_rows_few(a, b, beta != T(0), c);
  if (b.cols < kManyHeads) return multiply_few(a, b, beta, c, packed);
  if (a.rows > kFewRows) return multiply_many(a, b, beta, c, packed);
  for (std::size_t i = 0; i < a.rows; ++i) multiply_row(a.row(i), b, beta, c.row(i), packed);
}

void multiply_float(MatrixView<const float> a, MatrixView<const float> b, float beta, MatrixView<float> c,
                    AlignedVector<float>& packed) {
  run(a, b, beta, c, packed);
}
void multiply_double(MatrixView<const double> a, MatrixView<const double> b, double beta, MatrixView<double> c,
                     AlignedVector<double>& packed) {
  run(a, b, beta, c, packed);
}

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::cpu {

HWY_EXPORT(multiply_float);
HWY_EXPORT(multiply_double);

template <class T>
void Operations::multiply(MatrixView<const T> a, MatrixView<const T> b, T beta, MatrixView<T> c) {
  thread_local AlignedVector<T> packed;
  if (a.cols == 0 && beta == T(0))
    for (std::size_t i = 0; i < c.rows; ++i) std::fill_n(c.row(i), c.cols, T(0));
  if constexpr (sizeof(T) == sizeof(float))
    HWY_DYNAMIC_DISPATCH(multiply_float)(a, b, beta, c, packed);
  else
    HWY_DYNAMIC_DISPATCH(multiply_double)(a, b, beta, c, packed);
}

template void Operations::multiply(MatrixView<const float>, MatrixView<const float>, float, MatrixView<float>);
template void Operations::multiply(MatrixView<const double>, MatrixView<const double>, double, MatrixView<double>);

}  // namespace bochner::cpu

namespace bochner {

void row_product(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> product) {
  cpu::choose_target();
  cpu::Operations::multiply(a, b, 0.0f, product);
}
void row_product(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> product) {
  cpu::choose_target();
  cpu::Operations::multiply(a, b, 0.0, product);
}

}  // namespace bochner
#endif
