// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Places: inputs are pairs of latitude and longitude in degrees, and t is the angle between two of them,
//   k(x, y) = exp(-radius sum t / length)
// A random plane through the centre separates two places with probability t / pi. A feature is the product of the sides
// of N planes, N ~ Poisson(pi radius / 2 length), times sqrt(1/D): E prod (1 - 2 t / pi) = k.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/require.h"
#include "maps/formula/formula.h"
#include "random/draw.h"

namespace bochner {

namespace {

std::size_t place_features(const FormulaOptions& options, std::size_t asked) {
  require(options.inputs % 2 == 0 || options.inputs == 1,  // 1: not known yet
          "great-circle: found {} inputs, expected pairs of latitude and longitude in degrees", options.inputs);
  require(options.numbers[0] >= options.numbers[1] / 100, "great-circle: found length={}, expected at least {}",
          options.numbers[0], options.numbers[1] / 100);
  return asked ? asked : 1024;
}

double mean_planes(const FormulaOptions& options) {
  return std::numbers::pi * options.numbers[1] / (2 * options.numbers[0]);
}

// Poisson by the times between its events.
std::size_t planes_of(const FormulaOptions& options, std::size_t f, std::size_t place) {
  const double mean = mean_planes(options);
  std::size_t count = 0;
  for (double time = 0;; ++count) {
    time += exponential(options.seed, Draw::radius, f, place, count);
    if (time > mean) return count;
  }
}

// A feature and place after the other: how many planes, then the three numbers of each.
std::vector<double> draw_planes(const FormulaOptions& options) {
  require(options.inputs % 2 == 0, "great-circle: found one input, expected latitude and longitude in degrees");
  std::vector<double> drawn;
  for (std::size_t f = 0; f < options.features; ++f)
    for (std::size_t place = 0; place < options.inputs / 2; ++place) {
      const std::size_t count = planes_of(options, f, place);
      drawn.push_back(double(count));
      for (std::size_t m = 0; m < 3 * count; ++m) drawn.push_back(normal(options.seed, Draw::frequency, f, place, m));
    }
  return drawn;
}

struct Point {
  double x, y, z;
};

Point point_of(double latitude, double longitude) {
  const double a = latitude * std::numbers::pi / 180, b = longitude * std::numbers::pi / 180;
  return {std::cos(a) * std::cos(b), std::cos(a) * std::sin(b), std::sin(a)};
}

void write_places(const FormulaOptions& options, Numbers drawn, MatrixView<const double> x, MatrixView<double> z) {
  const double scale = 1 / std::sqrt(double(options.features));
  std::vector<Point> points(options.inputs / 2);
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t p = 0; p < points.size(); ++p) points[p] = point_of(x(i, 2 * p), x(i, 2 * p + 1));
    const double* at = drawn.data();
    for (std::size_t f = 0; f < z.cols; ++f) {
      bool minus = false;
      for (const Point& point : points)
        for (auto count = std::size_t(*at++); count > 0; --count, at += 3)
          minus ^= at[0] * point.x + at[1] * point.y + at[2] * point.z < 0;
      z(i, f) = minus ? -scale : scale;
    }
  }
}

// Two points' angle by their difference and sum: exact where they are near.
double great_angle(const Point& a, const Point& b) {
  const auto length = [](double x, double y, double z) { return std::sqrt(x * x + y * y + z * z); };
  return 2 * std::atan2(length(a.x - b.x, a.y - b.y, a.z - b.z), length(a.x + b.x, a.y + b.y, a.z + b.z));
}

double place_value(const FormulaOptions& options, Numbers x, Numbers y) {
  double sum = 0;
  for (std::size_t j = 0; j + 1 < x.size(); j += 2)
    sum += great_angle(point_of(x[j], x[j + 1]), point_of(y[j], y[j + 1]));
  return std::exp(-options.numbers[1] * sum / options.numbers[0]);
}

double place_variance(const FormulaOptions& options, Numbers x, Numbers y) {
  const double k = place_value(options, x, y);
  return (1 - k * k) / double(options.features);
}

}  // namespace

// Kilometres on the Earth. A length below a hundredth of the radius would ask for too many planes.
const Formula kGreatCircle = {.name = "great-circle",
                              .parameters = {{"length", 1000, 1e-12, 1e12}, {"radius", 6371, 1e-12, 1e12}},
                              .random = true,
                              .independent = true,
                              .as_given = true,
                              .from_zero = true,
                              .features = place_features,
                              .draw = draw_planes,
                              .drawn =
                                  [](const FormulaOptions& options) {
                                    return (1 + 3 * mean_planes(options)) * double(options.inputs / 2) *
                                           double(options.features);
                                  },
                              .write = write_places,
                              .kernel = place_value,
                              .variance = place_variance};

}  // namespace bochner
