// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/svg.h"
#include "bochner/drawn.h"
#include "methods/papers/claims.h"
#include "random/draw.h"

namespace bochner {

namespace {

constexpr std::size_t kPoints = 48;

// Three groups of points in the unit square, group by group.
Matrix<double> three_groups(std::uint64_t seed) {
  constexpr double kCentres[3][2] = {{0.25, 0.3}, {0.7, 0.35}, {0.5, 0.75}};
  Matrix<double> x(kPoints, 2);
  for (std::size_t i = 0; i < kPoints; ++i)
    for (std::size_t j = 0; j < 2; ++j)
      x(i, j) = std::clamp(kCentres[i / (kPoints / 3)][j] + 0.08 * normal(seed, Draw::sample, i, j), 0.02, 0.98);
  return x;
}

DrawnGrids grids_of(std::size_t count, std::uint64_t seed) {
  std::vector<std::uint64_t> draws(count);
  std::iota(draws.begin(), draws.end(), std::uint64_t(0));
  return drawn_grids(2, {.law = {}, .length_scales = {0.4}, .grids = count, .seed = seed, .groups = {}}, draws, true);
}

double bin_of(const DrawnGrids& grids, std::size_t grid, std::size_t input, double value) {
  return std::floor((value - grids.shift(grid, input)) * grids.per_pitch(grid, input));
}

// Points of the square on a direction, and where the direction's cosine and sine take them.
std::string circle_picture(std::uint64_t seed) {
  const DrawnFrequencies drawn = drawn_frequencies(2, {.kernel = gaussian(0.2), .features = 2, .seed = seed});
  const double a = drawn.omega(0, 0), b = drawn.omega(0, 1), norm = std::hypot(a, b);
  const Matrix<double> x = three_groups(seed);
  const Box square{20, 20, 240, 240};
  const Point centre{400, 140};
  constexpr double kRadius = 100;
  Svg svg(540, 280, "points on a random direction and on the circle");
  svg.rect(square, "none");
  const auto at = [&](double u, double v) { return Point{square.x + 240 * u, square.y + 240 * (1 - v)}; };
  svg.line(at(0.5 - 0.45 * a / norm, 0.5 - 0.45 * b / norm), at(0.5 + 0.45 * a / norm, 0.5 + 0.45 * b / norm), "axis");
  std::vector<Point> ring;
  for (int k = 0; k < 96; ++k) {
    const double angle = k * std::numbers::pi / 48;
    ring.push_back({centre.x + kRadius * std::cos(angle), centre.y - kRadius * std::sin(angle)});
  }
  svg.path(ring, "c0 stroke", true);
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const std::string look = fmt::format("c{} fill", i / (kPoints / 3));
    const double angle = a * x(i, 0) + b * x(i, 1);
    svg.circle(at(x(i, 0), x(i, 1)), 3, look);
    svg.circle({centre.x + kRadius * std::cos(angle), centre.y - kRadius * std::sin(angle)}, 4, look);
  }
  svg.text({140, 274}, "x and the direction w", "middle", "name");
  svg.text({centre.x, 274}, "(cos w'x, sin w'x)", "middle", "name");
  return std::move(svg).done();
}

std::string grid_picture(std::uint64_t seed) {
  const DrawnGrids grids = grids_of(3, seed);
  const Matrix<double> x = three_groups(seed);
  Svg svg(840, 290, "three random grids");
  for (std::size_t g = 0; g < 3; ++g) {
    const Box square{20 + 280 * double(g), 20, 240, 240};
    svg.rect(square, "none");
    for (std::size_t j = 0; j < 2; ++j) {
      const double pitch = 1 / grids.per_pitch(g, j);
      double edge = std::ceil(-grids.shift(g, j) / pitch) * pitch + grids.shift(g, j);
      for (int k = 0; k < 500 && edge <= 1; ++k, edge += pitch) {
        if (j == 0)
          svg.line({square.x + 240 * edge, square.y}, {square.x + 240 * edge, square.y + 240}, "axis");
        else
          svg.line({square.x, square.y + 240 * (1 - edge)}, {square.x + 240, square.y + 240 * (1 - edge)}, "axis");
      }
    }
    for (std::size_t i = 0; i < x.rows(); ++i) {
      const auto hash =
          std::uint64_t(std::int64_t(bin_of(grids, g, 0, x(i, 0)) * 3 + bin_of(grids, g, 1, x(i, 1)) * 2));
      svg.circle({square.x + 240 * x(i, 0), square.y + 240 * (1 - x(i, 1))}, 4, fmt::format("c{} fill", hash % 5));
    }
    svg.text({square.x + 120, 282}, fmt::format("grid {}", g + 1), "middle", "name");
  }
  return std::move(svg).done();
}

// The matrix of the share of grids in which two points share a bin, as grey squares.
void draw_matrix(Svg& svg, Point corner, const Matrix<double>& shares) {
  constexpr double kSide = 4;
  for (std::size_t a = 0; a < kPoints; ++a)
    for (std::size_t b = 0; b < kPoints; ++b)
      if (shares(a, b) >= 0.01)
        svg.rect({corner.x + kSide * double(b), corner.y + kSide * double(a), kSide, kSide}, "bar", {}, shares(a, b));
}

Matrix<double> shares_of(const DrawnGrids& grids, std::size_t count, const Matrix<double>& x) {
  Matrix<double> shares(kPoints, kPoints);
  for (std::size_t g = 0; g < count; ++g)
    for (std::size_t a = 0; a < kPoints; ++a)
      for (std::size_t b = 0; b < kPoints; ++b)
        if (bin_of(grids, g, 0, x(a, 0)) == bin_of(grids, g, 0, x(b, 0)) &&
            bin_of(grids, g, 1, x(a, 1)) == bin_of(grids, g, 1, x(b, 1)))
          shares(a, b) += 1 / double(count);
  return shares;
}

std::string adjacency_picture(std::uint64_t seed) {
  constexpr std::size_t kCounts[] = {1, 10, 200};
  const Matrix<double> x = three_groups(seed);
  const DrawnGrids grids = grids_of(200, seed);
  Svg svg(860, 240, "adjacency of points by shared bins");
  for (std::size_t k = 0; k < 4; ++k) {
    const Point corner{10 + 212 * double(k), 10};
    Matrix<double> shares(kPoints, kPoints);
    if (k < 3)
      shares = shares_of(grids, kCounts[k], x);
    else
      for (std::size_t a = 0; a < kPoints; ++a)
        for (std::size_t b = 0; b < kPoints; ++b)
          shares(a, b) = std::exp(-(std::fabs(x(a, 0) - x(b, 0)) + std::fabs(x(a, 1) - x(b, 1))) / 0.4);
    draw_matrix(svg, corner, shares);
    svg.text({corner.x + 96, 228}, k < 3 ? fmt::format("{} grid{}", kCounts[k], k ? "s" : "") : "the kernel", "middle",
             "name");
  }
  return std::move(svg).done();
}

}  // namespace

void draw_maps(const PapersOptions& options, std::vector<PaperPicture>& pictures) {
  pictures.push_back(
      {"maps", "A random direction, wrapped onto the circle (000, figure 1)", circle_picture(options.seed)});
  pictures.push_back(
      {"maps", "Random grids: points of one bin have one colour (000, figure 2)", grid_picture(options.seed)});
  pictures.push_back(
      {"maps", "How often points share a bin, beside the kernel (000, figure 2)", adjacency_picture(options.seed)});
}

}  // namespace bochner
