// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/reference/operations.h"

namespace bochner::reference {

void Operations::nearest(MatrixView<const float> x, const PointPanels<float>& y, const MetPoints& points,
                         const NearestView& best) {
  constexpr std::size_t kPanel = PointPanels<float>::kPanel;
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t c = 0; c < y.count; ++c) {
      if (points.self && points.self[i] == points.numbers[c]) continue;
      double product = 0;
      for (std::size_t j = 0; j < y.inputs; ++j)
        product += double(x(i, j)) * double(y.values[(c / kPanel * y.inputs + j) * kPanel + c % kPanel]);
      const NearestView row = best.slice(i);
      offer_point(float(double(points.half[c]) - product), points.numbers[c], row.keep, row.values, row.numbers);
    }
}

void Operations::squared_distances(const float* x, MatrixView<const float> points, std::span<const std::uint32_t> at,
                                   double* squared) {
  for (std::size_t i = 0; i < at.size(); ++i) {
    const float* y = points.row(at[i]);
    squared[i] = 0;
    for (std::size_t j = 0; j < points.cols; ++j) squared[i] += (double(x[j]) - y[j]) * (double(x[j]) - y[j]);
  }
}

}  // namespace bochner::reference
