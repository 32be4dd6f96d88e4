// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cmath>
#include <vector>

#include "backend/reference/operations.h"

namespace bochner::reference {

namespace {

// The kernel from |D|_2^2, |D|_1 or prod (1 + D_j^2), whichever it is a function of.
double kernel_of(KernelShape shape, double alpha, double s) {
  switch (shape) {
    case KernelShape::squared:
      return s;
    case KernelShape::gaussian:
      return std::exp(-0.5 * s);
    case KernelShape::exponential2:
      return std::exp(-std::sqrt(s));
    case KernelShape::matern32: {
      const double a = std::sqrt(3 * s);
      return (1 + a) * std::exp(-a);
    }
    case KernelShape::matern52: {
      const double a = std::sqrt(5 * s);
      return (1 + a + a * a / 3) * std::exp(-a);
    }
    case KernelShape::rational:
      return std::exp(-alpha * std::log1p(s / (2 * alpha)));
    case KernelShape::exponential1:
      return std::exp(-s);
    case KernelShape::cauchy:
      return 1 / s;
  }
  return 0;
}

}  // namespace

template <class T>
void Operations::kernel_block(const RowBlock<T>& x, const Landmarks<T>& y, MatrixView<T> k) {
  constexpr std::size_t kPanel = Landmarks<T>::kPanel;
  std::vector<T> row(y.inputs);
  for (std::size_t i = 0; i < x.rows; ++i) {
    row.assign(y.inputs, T(0));
    if (x.sparse()) {
      for (std::size_t p = x.offsets[i]; p < x.offsets[i + 1]; ++p) row[x.columns[p]] = x.values[p];
    } else {
      row.assign(x.values + i * x.stride, x.values + i * x.stride + y.inputs);
    }
    for (std::size_t j = 0; j < y.inputs; ++j) row[j] *= y.factor[j];
    for (std::size_t c = 0; c < y.count; ++c) {
      const T* point = y.panels.data() + c / kPanel * y.inputs * kPanel + c % kPanel;
      double s = y.shape == KernelShape::cauchy ? 1 : 0;
      for (std::size_t j = 0; j < y.inputs; ++j) {
        const double delta = double(row[j]) - double(point[j * kPanel]);
        if (y.shape == KernelShape::exponential1)
          s += std::fabs(delta);
        else if (y.shape == KernelShape::cauchy)
          s *= 1 + delta * delta;
        else
          s += delta * delta;
      }
      k(i, c) = T(kernel_of(y.shape, double(y.alpha), s));
    }
  }
}

template <class T>
void Operations::multiply_lower(MatrixView<const T> x, const LowerPanels<T>& r, MatrixView<T> z) {
  constexpr std::size_t kPanel = LowerPanels<T>::kPanel;
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t c = 0; c < r.size; ++c) {
      const T* panel = r.values.data() + r.offsets[c / kPanel] + c % kPanel;
      double sum = 0;
      for (std::size_t j = 0; j <= c; ++j) sum += double(x(i, j)) * double(panel[j * kPanel]);
      z(i, c) = T(sum);
    }
  }
}

template void Operations::kernel_block(const RowBlock<float>&, const Landmarks<float>&, MatrixView<float>);
template void Operations::kernel_block(const RowBlock<double>&, const Landmarks<double>&, MatrixView<double>);
template void Operations::multiply_lower(MatrixView<const float>, const LowerPanels<float>&, MatrixView<float>);
template void Operations::multiply_lower(MatrixView<const double>, const LowerPanels<double>&, MatrixView<double>);

}  // namespace bochner::reference
