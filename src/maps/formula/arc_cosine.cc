// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Arc-cosine kernels (Cho & Saul, NIPS 2009), t the angle of x and y:
//   order 0: 1 - t / pi                                  z = sqrt(2/D) [w.x > 0]
//   order 1: |x| |y| (sin t + (pi - t) cos t) / pi        z = sqrt(2/D) max(0, w.x),  w ~ N(0, I)

#include <algorithm>
#include <cmath>
#include <numbers>

#include "maps/formula/formula.h"
#include "random/draw.h"

namespace bochner {

namespace {

constexpr double kPi = std::numbers::pi;

std::size_t as_asked(const FormulaOptions&, std::size_t asked) { return asked ? asked : 1024; }

std::vector<double> draw_normals(const FormulaOptions& options) {
  std::vector<double> W(options.inputs * options.features);
  for (std::size_t f = 0; f < options.features; ++f)
    for (std::size_t j = 0; j < options.inputs; ++j)
      W[j * options.features + f] = normal(options.seed, Draw::frequency, f, j);
  return W;
}

void write_arc_cosine(const FormulaOptions& options, Numbers drawn, MatrixView<const double> x, MatrixView<double> z) {
  add_products(x, drawn.data(), z);
  const double scale = std::sqrt(2 / double(options.features));
  const bool step = options.numbers[0] == 0;
  for (std::size_t i = 0; i < z.rows; ++i)
    for (std::size_t f = 0; f < z.cols; ++f) {
      const double u = z(i, f);
      z(i, f) = step ? (u > 0 ? scale : 0) : scale * std::max(u, 0.0);
    }
}

double angle_of(Numbers x, Numbers y) {
  const double norms = std::sqrt(dot(x, x) * dot(y, y));
  return norms > 0 ? std::acos(std::clamp(dot(x, y) / norms, -1.0, 1.0)) : kPi / 2;
}

// A row of zeros is on no side of a hyperplane.
double arc_cosine_value(const FormulaOptions& options, Numbers x, Numbers y) {
  const double t = angle_of(x, y), norms = std::sqrt(dot(x, x) * dot(y, y));
  if (options.numbers[0] == 0) return norms > 0 ? 1 - t / kPi : 0;
  return norms * (std::sin(t) + (kPi - t) * std::cos(t)) / kPi;
}

// The second moment of one product by D is k_0 2 / D for steps and 2 k_2 / D for ramps, k_2 the kernel of order 2.
double arc_cosine_variance(const FormulaOptions& options, Numbers x, Numbers y) {
  const double k = arc_cosine_value(options, x, y), t = angle_of(x, y), c = std::cos(t);
  const double second =
      options.numbers[0] == 0 ? k : dot(x, x) * dot(y, y) * (3 * std::sin(t) * c + (kPi - t) * (1 + 2 * c * c)) / kPi;
  return (2 * second - k * k) / double(options.features);
}

}  // namespace

const Formula kArcCosine = {
    .name = "arc-cosine",
    .parameters = {{"order", 1, 0, 1, true}},
    .random = true,
    .independent = true,
    .features = as_asked,
    .draw = draw_normals,
    .drawn = [](const FormulaOptions& options) { return double(options.inputs) * double(options.features); },
    .write = write_arc_cosine,
    .kernel = arc_cosine_value,
    .variance = arc_cosine_variance};

}  // namespace bochner
