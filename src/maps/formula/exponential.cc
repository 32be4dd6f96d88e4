// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// The exponential of a product, exp(g x.y), by positive random features (Choromanski et al., ICLR 2021, FAVOR+ in its
// hyperbolic form), u = sqrt(g) x:
//   z = exp(-|u|^2 / 2) [exp(w.u), exp(-w.u)] / sqrt(D),  w ~ N(0, I)

#include <algorithm>
#include <cmath>

#include "maps/formula/formula.h"
#include "random/draw.h"

namespace bochner {

namespace {

// Float holds exp(80), and the product of two such features is finite in double.
constexpr double kMostExponent = 80;

std::size_t paired_features(const FormulaOptions&, std::size_t asked) {
  const std::size_t wanted = asked ? asked : 1024;
  return wanted + wanted % 2;
}

std::vector<double> draw_exponential(const FormulaOptions& options) {
  const std::size_t F = options.features / 2;
  std::vector<double> W(options.inputs * F);
  for (std::size_t f = 0; f < F; ++f)
    for (std::size_t j = 0; j < options.inputs; ++j) W[j * F + f] = normal(options.seed, Draw::frequency, f, j);
  return W;
}

void write_exponential(const FormulaOptions& options, Numbers drawn, MatrixView<const double> x, MatrixView<double> z) {
  const std::size_t F = options.features / 2;
  const double g = options.numbers[0], root = std::sqrt(g), scale = 1 / std::sqrt(double(options.features));
  Matrix<double> sums(x.rows, F);
  add_products(x, drawn.data(), sums.view());
  for (std::size_t i = 0; i < x.rows; ++i) {
    const double half = g * dot({x.row(i), x.cols}, {x.row(i), x.cols}) / 2;
    for (std::size_t f = 0; f < F; ++f) {
      const double u = root * sums(i, f);
      z(i, f) = scale * std::exp(std::min(u - half, kMostExponent));
      z(i, F + f) = scale * std::exp(std::min(-u - half, kMostExponent));
    }
  }
}

double exponential_value(const FormulaOptions& options, Numbers x, Numbers y) {
  return std::exp(options.numbers[0] * dot(x, y));
}

// One pair is exp(-(|u|^2 + |v|^2) / 2) cosh(w.(u + v)), whose variance with a = |u + v|^2 is k^2 (e^a - 1)
// (1 - e^-a) / 2.
double exponential_variance(const FormulaOptions& options, Numbers x, Numbers y) {
  const double a = options.numbers[0] * (dot(x, x) + dot(y, y) + 2 * dot(x, y));
  const double k = exponential_value(options, x, y);
  return k * k * std::expm1(a) * -std::expm1(-a) / double(options.features);
}

}  // namespace

const Formula kExponential = {
    .name = "exponential",
    .parameters = {{"gamma", 1, 1e-12, 1e12}},
    .random = true,
    .features = paired_features,
    .draw = draw_exponential,
    .drawn = [](const FormulaOptions& options) { return double(options.inputs) * double(options.features) / 2; },
    .write = write_exponential,
    .kernel = exponential_value,
    .variance = exponential_variance};

}  // namespace bochner
