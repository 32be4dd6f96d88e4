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
void Operations::radial_entries(MatrixView<const T> x, const PointPanels<T>& y, double q,
                                const RadialEntries<T>& entries) {
  radial_block(x, y, q, entries.k);
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t c = 0; c < y.count; ++c) {
      const double t = std::max(squared_distance(x, i, y, c), kRadialLeast);
      entries.distance(i, c) = T(t);
      entries.log(i, c) = T(std::log(t));
      entries.power(i, c) = T(std::pow(t, q / 2));
    }
}

template <class T>
void Operations::radial_slope(const RadialEntries<T>& of, double q, const RadialSlope<T>& slope) {
  for (std::size_t i = 0; i < of.rows(); ++i) {
    double sum = 0, by_exponent = 0;
    for (std::size_t c = 0; c < of.k.cols; ++c) {
      double omega = 0;
      for (std::size_t r = 0; r < slope.left.cols; ++r) omega += double(slope.left(i, r)) * entry(slope.right, c, r);
      const double weight = omega * double(of.k(i, c)) * double(of.power(i, c));
      const double h = of.distance(i, c) > T(kRadialLeast) ? -q / 2 * weight / double(of.distance(i, c)) : 0;
      slope.by_distance(i, c) = T(h);
      sum += h;
      by_exponent -= 0.5 * weight * double(of.log(i, c));
    }
    slope.row_sums[i] = sum;
    slope.by_exponent[i] = by_exponent;
  }
}

template void Operations::radial_block(MatrixView<const float>, const PointPanels<float>&, double, MatrixView<float>);
template void Operations::radial_block(MatrixView<const double>, const PointPanels<double>&, double,
                                       MatrixView<double>);
template void Operations::radial_entries(MatrixView<const float>, const PointPanels<float>&, double,
                                         const RadialEntries<float>&);
template void Operations::radial_entries(MatrixView<const double>, const PointPanels<double>&, double,
                                         const RadialEntries<double>&);
template void Operations::radial_slope(const RadialEntries<float>&, double, const RadialSlope<float>&);
template void Operations::radial_slope(const RadialEntries<double>&, double, const RadialSlope<double>&);

}  // namespace bochner::reference
