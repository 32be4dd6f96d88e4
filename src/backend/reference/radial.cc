// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>

#include "backend/reference/operations.h"

namespace bochner::reference {

namespace {

template <class T>
double entry(const PointPanels<T>& y, std::size_t point, std::size_t input) {
  constexpr std::size_t kPanel = PointPanels<T>::kPanel;
  return double(y.values[point / kPanel * y.inputs * kPanel + input * kPanel + point % kPanel]);
}

template <class T>
double squared_distance(MatrixView<const T> x, std::size_t i, const PointPanels<T>& y, std::size_t c) {
  double t = 0;
  for (std::size_t j = 0; j < y.inputs; ++j)
    t += (double(x(i, j)) - entry(y, c, j)) * (double(x(i, j)) - entry(y, c, j));
  return t;
}

}  // namespace

template <class T>
void Operations::radial_block(MatrixView<const T> x, const PointPanels<T>& y, double q, MatrixView<T> k) {
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t c = 0; c < y.count; ++c)
      k(i, c) = T(std::exp(-std::pow(std::max(squared_distance(x, i, y, c), kRadialLeast), q / 2)));
}

template <class T>
void Operations::radial_slope(MatrixView<const T> x, const PointPanels<T>& y, double q, const RadialSlope<T>& slope) {
  for (std::size_t i = 0; i < x.rows; ++i) {
    double sum = 0, by_exponent = 0;
    for (std::size_t c = 0; c < y.count; ++c) {
      double omega = 0;
      for (std::size_t r = 0; r < slope.left.cols; ++r) omega += double(slope.left(i, r)) * entry(slope.right, c, r);
      const double squared = squared_distance(x, i, y, c), t = std::max(squared, kRadialLeast);
      const double power = std::pow(t, q / 2), k = std::exp(-power);
      const double h = squared > kRadialLeast ? -q / 2 * power / t * k * omega : 0;
      slope.by_distance(i, c) = T(h);
      sum += h;
      by_exponent -= 0.5 * omega * k * power * std::log(t);
    }
    slope.row_sums[i] = sum;
    slope.by_exponent[i] = by_exponent;
  }
}

template void Operations::radial_block(MatrixView<const float>, const PointPanels<float>&, double, MatrixView<float>);
template void Operations::radial_block(MatrixView<const double>, const PointPanels<double>&, double,
                                       MatrixView<double>);
template void Operations::radial_slope(MatrixView<const float>, const PointPanels<float>&, double,
                                       const RadialSlope<float>&);
template void Operations::radial_slope(MatrixView<const double>, const PointPanels<double>&, double,
                                       const RadialSlope<double>&);

}  // namespace bochner::reference
