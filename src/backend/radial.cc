// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/radial.h"

#include "base/require.h"

namespace bochner {

template <class T>
PointPanels<T> pack_points(MatrixView<const T> points) {
  require(points.rows > 0 && points.cols > 0, "points: {} x {}, expected at least one point of one input", points.rows,
          points.cols);
  constexpr std::size_t kPanel = PointPanels<T>::kPanel;
  PointPanels<T> packed;
  packed.inputs = points.cols;
  packed.count = points.rows;
  packed.values.assign((points.rows + kPanel - 1) / kPanel * points.cols * kPanel, T(0));
  for (std::size_t i = 0; i < points.rows; ++i) {
    T* panel = packed.values.data() + i / kPanel * points.cols * kPanel + i % kPanel;
    for (std::size_t j = 0; j < points.cols; ++j) panel[j * kPanel] = points(i, j);
  }
  return packed;
}

template PointPanels<float> pack_points(MatrixView<const float>);
template PointPanels<double> pack_points(MatrixView<const double>);

}  // namespace bochner
