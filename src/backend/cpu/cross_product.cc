// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/cpu/cross_product.h"

#include <algorithm>

#include "backend/column_product.h"
#include "backend/cpu/target_choice.h"
#include "backend/cpu/targets.h"
#include "base/aligned.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/cross_product.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/cpu/strips-inl.h"

// Strips of columns of both, a depth of rows at a time: see strips-inl.h. 73 GF/s of a Neoverse-V1 core's 83, where
// OpenBLAS 0.3.21 has 60.
HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
void run(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> product, AlignedVector<T>& packed) {
  using S = Strip<T>;
  const std::size_t a_cols = (a.cols + S::kA - 1) / S::kA * S::kA, b_cols = (b.cols + S::kB - 1) / S::kB * S::kB;
  const std::size_t most = HWY_MIN(a.rows, kStripDepth);
  // Vectors of b begin at a cache line, whatever a needs.
  const std::size_t a_size = (most * a_cols + 15) / 16 * 16;
  if (packed.size() < a_size + most * b_cols) packed.resize(a_size + most * b_cols);
  T* packed_a = packed.data();
  T* packed_b = packed.data() + a_size;

  const bool symmetric = a.data == b.data && a.stride == b.stride && a.cols == b.cols;
  std::size_t begin = 0;
  do {
    const std::size_t depth = HWY_MIN(kStripDepth, a.rows - begin);
    pack_strips<S::kA>(a.slice(begin, depth), packed_a);
    pack_strips<S::kB>(b.slice(begin, depth), packed_b);
    for (std::size_t j = 0; j < b.cols; j += S::kB) {
      for (std::size_t i = symmetric ? j / S::kA * S::kA : 0; i < a.cols; i += S::kA) {
        const T* strip_a = packed_a + i * depth;
        const T* strip_b = packed_b + j * depth;
        multiply_strips<T>(strip_a, strip_b, depth, begin > 0,
                           {&product(i, j), HWY_MIN(S::kA, a.cols - i), HWY_MIN(S::kB, b.cols - j), product.stride});
      }
    }
    begin += depth;
  } while (begin < a.rows);
  // The two orders of a pair of columns sum the same products in the same order.
  for (std::size_t i = 0; symmetric && i < a.cols; ++i)
    for (std::size_t j = i + 1; j < b.cols; ++j) product(i, j) = product(j, i);
}

void cross_float(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> product,
                 AlignedVector<float>& packed) {
  run(a, b, product, packed);
}
void cross_double(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> product,
                  AlignedVector<double>& packed) {
  run(a, b, product, packed);
}

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::cpu {

HWY_EXPORT(cross_float);
HWY_EXPORT(cross_double);

void cross_product(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> product) {
  thread_local AlignedVector<float> packed;
  HWY_DYNAMIC_DISPATCH(cross_float)(a, b, product, packed);
}
void cross_product(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> product) {
  thread_local AlignedVector<double> packed;
  HWY_DYNAMIC_DISPATCH(cross_double)(a, b, product, packed);
}

}  // namespace bochner::cpu

namespace bochner {

void column_product(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> product) {
  cpu::choose_target();
  cpu::cross_product(a, b, product);
}
void column_product(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> product) {
  cpu::choose_target();
  cpu::cross_product(a, b, product);
}

}  // namespace bochner
#endif
