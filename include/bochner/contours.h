// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   Matrix<double> x(1000, 2);  // the points of a sample in the plane
//   x(0, 0) = 1;
//   const std::string picture = contour_plot(mean_expansion(x, gaussian(0.5)), {.title = "density"});  // an SVG

#include <array>
#include <optional>
#include <string>

#include "bochner/execution.h"
#include "bochner/reduce.h"

namespace bochner {

struct ContourOptions {
  std::string title = {};
  std::array<std::string, 2> names = {"x", "y"};  // names of the axes
  std::size_t levels =
      10;  // lines, at equal steps between the least and the greatest value; that of 0 where both signs are
  std::size_t cells = 96;   // cells of the grid of values, each way
  std::size_t dots = 2000;  // the most points that are drawn, spread over all; 0: none
  // Low and high of both axes. None: the points and two length scales around them.
  std::optional<std::array<std::array<double, 2>, 2>> window = {};
  Execution execution = {};
};

// f = sum_i w_i k(x_i, .) of points in the plane: lines of equal value, and the points, as an SVG file's text.
std::string contour_plot(const Expansion& expansion, const ContourOptions& options = {});

}  // namespace bochner
