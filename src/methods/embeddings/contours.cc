// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/contours.h"

#include <algorithm>
#include <cmath>

#include "base/page_style.h"
#include "base/require.h"
#include "base/svg.h"

namespace bochner {

namespace {

constexpr double kWidth = 640, kHeight = 560;
constexpr const char* kLooks = R"css(
.level{stroke:var(--main);stroke-width:1.3;stroke-linecap:round}.zero{stroke:var(--ink);stroke-width:1.6;stroke-dasharray:4 4}
.under{stroke:var(--c4);stroke-width:1.3;stroke-linecap:round}.above{fill:var(--c1);fill-opacity:.75}
.below{fill:var(--c3);fill-opacity:.75}svg{background:var(--paper)}
)css";

void check(const Expansion& of, const ContourOptions& options) {
  require(of.points.cols() == 2, "contours: points of {} inputs, expected two: a plane", of.points.cols());
  require(of.points.rows() > 0, "contours: found no points, expected at least one");
  require(options.levels >= 1 && options.levels <= 100, "levels: found {}, expected 1 to 100", options.levels);
  require(options.cells >= 2 && options.cells <= 2000, "cells: found {}, expected 2 to 2000", options.cells);
  for (std::size_t a = 0; options.window && a < 2; ++a) {
    const auto [low, high] = (*options.window)[a];
    require(std::isfinite(low) && std::isfinite(high) && low < high,
            "window: found {} to {}, expected two numbers, the smaller one first", low, high);
  }
}

std::array<double, 2> reach(const Expansion& of, std::size_t axis) {
  double low = of.points(0, axis), high = low;
  for (std::size_t i = 0; i < of.points.rows(); ++i) {
    low = std::min(low, of.points(i, axis));
    high = std::max(high, of.points(i, axis));
  }
  const double margin = std::min(2 * of.kernel.length_scale(axis), std::max(high - low, of.kernel.length_scale(axis)));
  return {low - margin, high + margin};
}

// Values on a grid: at(i, j) of row i from below, column j from the left.
struct Field {
  std::array<std::array<double, 2>, 2> window;
  Matrix<double> at;

  Point place(double i, double j) const {
    const auto [x, y] = window;
    return {x[0] + (x[1] - x[0]) * j / double(at.cols() - 1), y[0] + (y[1] - y[0]) * i / double(at.rows() - 1)};
  }
};

Field field_of(const Expansion& of, const ContourOptions& options) {
  Field field;
  field.window = options.window ? *options.window : std::array{reach(of, 0), reach(of, 1)};
  const std::size_t side = options.cells + 1;
  field.at = Matrix<double>(side, side);
  Matrix<double> places(side * side, 2);
  for (std::size_t i = 0; i < side; ++i)
    for (std::size_t j = 0; j < side; ++j) {
      const Point at = field.place(double(i), double(j));
      places(i * side + j, 0) = at.x;
      places(i * side + j, 1) = at.y;
    }
  const std::vector<double> values = values_at(of, places.view(), options.execution);
  std::copy(values.begin(), values.end(), field.at.data());
  return field;
}

std::vector<double> levels_of(const Field& field, std::size_t count) {
  const auto [low, high] = std::minmax_element(field.at.data(), field.at.data() + field.at.rows() * field.at.cols());
  std::vector<double> levels;
  if (!(*low < *high)) return levels;
  for (std::size_t k = 1; k <= count; ++k) levels.push_back(*low + (*high - *low) * double(k) / double(count + 1));
  if (*low < -1e-3 * *high) levels.push_back(0);  // what divides the signs
  std::sort(levels.begin(), levels.end());
  return levels;
}

// Marching squares: where the level crosses the edges of a cell, two of them at a time; the middle of a saddle decides.
void draw_level(Svg& svg, const PlotFrame& frame, const Field& field, double level, const std::string& look) {
  const auto crossing = [&](std::size_t i, std::size_t j, std::size_t k, std::size_t l) {
    const double a = field.at(i, j) - level, b = field.at(k, l) - level, share = a / (a - b);
    const Point at =
        field.place(double(i) + share * (double(k) - double(i)), double(j) + share * (double(l) - double(j)));
    return frame.at(at.x, at.y);
  };
  for (std::size_t i = 0; i + 1 < field.at.rows(); ++i)
    for (std::size_t j = 0; j + 1 < field.at.cols(); ++j) {
      const std::size_t corners[5][2] = {{i, j}, {i, j + 1}, {i + 1, j + 1}, {i + 1, j}, {i, j}};
      std::vector<Point> cuts;
      for (int e = 0; e < 4; ++e) {
        const auto& a = corners[e];
        const auto& b = corners[e + 1];
        if ((field.at(a[0], a[1]) < level) != (field.at(b[0], b[1]) < level))
          cuts.push_back(crossing(a[0], a[1], b[0], b[1]));
      }
      if (cuts.size() == 4) {
        const double middle = (field.at(i, j) + field.at(i, j + 1) + field.at(i + 1, j + 1) + field.at(i + 1, j)) / 4;
        if ((middle < level) != (field.at(i, j) < level)) std::rotate(cuts.begin(), cuts.begin() + 1, cuts.end());
      }
      for (std::size_t c = 0; c + 1 < cuts.size(); c += 2) svg.line(cuts[c], cuts[c + 1], look);
    }
}

void draw_points(Svg& svg, const PlotFrame& frame, const Expansion& of, std::size_t most) {
  if (most == 0) return;
  const std::size_t stride = std::max<std::size_t>(1, (of.points.rows() + most - 1) / most);
  for (std::size_t i = 0; i < of.points.rows(); i += stride) {
    const double x = of.points(i, 0), y = of.points(i, 1);
    if (x < frame.x.low || x > frame.x.high || y < frame.y.low || y > frame.y.high) continue;
    const bool few = of.points.rows() <= 100;
    svg.circle(frame.at(x, y), few ? 4 : 1.6, of.weights[i] < 0 ? "below" : "above",
               few ? fmt::format("({}, {}), weight {}", short_number(x), short_number(y), short_number(of.weights[i]))
                   : std::string());
  }
}

// A file of its own: the page's looks, and those of this picture.
std::string with_style(std::string svg) {
  const std::size_t end = svg.find(">\n");
  svg.insert(end, " xmlns=\"http://www.w3.org/2000/svg\"");
  svg.insert(svg.find(">\n") + 2, fmt::format("<style>{}{}</style>\n", kPageStyle, kLooks));
  return svg;
}

}  // namespace

std::string contour_plot(const Expansion& expansion, const ContourOptions& options) {
  check(expansion, options);
  const Field field = field_of(expansion, options);
  Svg svg(kWidth, kHeight, options.title.empty() ? "contours" : options.title);
  PlotFrame frame{
      {70, options.title.empty() ? 16.0 : 44.0, kWidth - 90, kHeight - (options.title.empty() ? 80.0 : 108.0)},
      round_axis(field.window[0][0], field.window[0][1], 6),
      round_axis(field.window[1][0], field.window[1][1], 6)};
  if (!options.title.empty()) svg.text({kWidth / 2, 26}, shortened(options.title, 80), "middle");
  draw_axes(svg, frame, options.names[0], options.names[1]);
  draw_points(svg, frame, expansion, options.dots);
  for (const double level : levels_of(field, options.levels))
    draw_level(svg, frame, field, level, level == 0 ? "zero" : level < 0 ? "under" : "level");
  return with_style(std::move(svg).done());
}

}  // namespace bochner
