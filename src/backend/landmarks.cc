// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/landmarks.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"

namespace bochner {

namespace {

// What x = 0 gives: CSR rows begin there and mend the inputs they hold.
double from_origin(KernelShape shape, double sum, double y) {
  if (shape == KernelShape::exponential1) return sum + std::fabs(y);
  if (shape == KernelShape::cauchy) return sum * (1 + y * y);
  return sum + y * y;
}

}  // namespace

template <class T>
Landmarks<T> pack_landmarks(MatrixView<const float> points, std::span<const double> length_scales, KernelShape shape,
                            double alpha) {
  require(points.rows > 0 && points.cols > 0, "landmarks: {} x {}, expected at least one point of one input",
          points.rows, points.cols);
  require(length_scales.size() == 1 || length_scales.size() == points.cols, "landmarks: {} length scales for {} inputs",
          length_scales.size(), points.cols);
  constexpr std::size_t kPanel = Landmarks<T>::kPanel;
  Landmarks<T> y;
  y.shape = shape;
  y.alpha = T(alpha);
  y.inputs = points.cols;
  y.count = points.rows;
  const std::size_t panels = (y.count + kPanel - 1) / kPanel;
  y.factor.resize(y.inputs);
  for (std::size_t j = 0; j < y.inputs; ++j) y.factor[j] = T(1 / length_scales[length_scales.size() == 1 ? 0 : j]);
  y.panels.assign(panels * y.inputs * kPanel, T(0));
  y.origin.assign(panels * kPanel, 0.0);
  for (std::size_t i = 0; i < y.count; ++i) {
    T* panel = y.panels.data() + i / kPanel * y.inputs * kPanel + i % kPanel;
    y.origin[i] = shape == KernelShape::cauchy ? 1 : 0;
    for (std::size_t j = 0; j < y.inputs; ++j) {
      // The product that a row goes through: a row that is a landmark is at distance 0 from it.
      panel[j * kPanel] = T(points(i, j)) * y.factor[j];
      y.origin[i] = from_origin(shape, y.origin[i], double(panel[j * kPanel]));
    }
  }
  return y;
}

template <class T>
LowerPanels<T> pack_lower(MatrixView<const double> lower) {
  require(lower.rows > 0 && lower.rows == lower.cols, "triangle: {} x {}, expected a square matrix", lower.rows,
          lower.cols);
  constexpr std::size_t kPanel = LowerPanels<T>::kPanel;
  LowerPanels<T> packed;
  packed.size = lower.rows;
  const std::size_t panels = (packed.size + kPanel - 1) / kPanel;
  std::size_t total = 0;
  for (std::size_t p = 0; p < panels; total += packed.columns(p++) * kPanel) packed.offsets.push_back(total);
  packed.values.assign(total, T(0));
  for (std::size_t i = 0; i < packed.size; ++i) {
    T* panel = packed.values.data() + packed.offsets[i / kPanel] + i % kPanel;
    for (std::size_t j = 0; j <= i; ++j) panel[j * kPanel] = T(lower(i, j));
  }
  return packed;
}

template Landmarks<float> pack_landmarks(MatrixView<const float>, std::span<const double>, KernelShape, double);
template Landmarks<double> pack_landmarks(MatrixView<const float>, std::span<const double>, KernelShape, double);
template LowerPanels<float> pack_lower(MatrixView<const double>);
template LowerPanels<double> pack_lower(MatrixView<const double>);

}  // namespace bochner
