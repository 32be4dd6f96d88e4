// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/pinball_blend.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "methods/automatic/blend.h"

namespace bochner {

namespace {

constexpr int kMostPinballSweeps = 50;
constexpr double kLeastMove = 1e-6;

// The t of least sum_i w_i rho(r_i - t c_i). Its slope is -sum w c level where t is least, and grows by w |c| at each
// r / c; a c below 0 is a row of the other level.
double least_along(std::span<const double> r, std::span<const double> c, std::span<const double> w, double level) {
  std::vector<std::pair<double, double>> corners;
  double slope = 0;
  for (std::size_t i = 0; i < r.size(); ++i) {
    const double reach = w[i] * std::fabs(c[i]);
    if (!(reach > 0)) continue;
    corners.emplace_back(r[i] / c[i], reach);
    slope -= reach * (c[i] > 0 ? level : 1 - level);
  }
  std::sort(corners.begin(), corners.end());
  for (const auto& [at, reach] : corners)
    if ((slope += reach) >= 0) return at;
  return 0;
}

}  // namespace

PinballBlend pinball_blend(const Matrix<double>& p, std::span<const double> y, std::span<const double> w, double level,
                           std::vector<double> start) {
  const std::size_t n = p.rows(), machines = p.cols();
  PinballBlend blend{std::move(start)};
  // Columns about their means, so that a weight moves the shift little.
  std::vector<double> mean(machines, 0.0), column(n), ones(n, 1.0), r(y.begin(), y.end());
  for (std::size_t j = 0; j < machines; ++j)
    for (std::size_t i = 0; i < n; ++i) mean[j] += p(i, j) / double(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < machines; ++j) r[i] -= blend.weights[j] * (p(i, j) - mean[j]);
  double shift = 0;
  for (int sweep = 0; sweep < kMostPinballSweeps; ++sweep) {
    const double step = least_along(r, ones, w, level);
    shift += step;
    for (double& residual : r) residual -= step;
    double moved = 0;
    for (std::size_t j = 0; j < machines; ++j) {
      for (std::size_t i = 0; i < n; ++i) column[i] = p(i, j) - mean[j];
      const double next = std::clamp(blend.weights[j] + least_along(r, column, w, level), 0.0, kMostBlendWeight);
      const double by = next - blend.weights[j];
      blend.weights[j] = next;
      for (std::size_t i = 0; i < n; ++i) r[i] -= by * column[i];
      moved = std::max(moved, std::fabs(by));
    }
    if (moved < kLeastMove) break;
  }
  shift += least_along(r, ones, w, level);
  blend.shift = shift;
  for (std::size_t j = 0; j < machines; ++j) blend.shift -= blend.weights[j] * mean[j];
  return blend;
}

}  // namespace bochner
