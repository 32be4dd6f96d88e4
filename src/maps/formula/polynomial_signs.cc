// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// The polynomial kernel by products of signs (Kar & Karnick, AISTATS 2012, for one power), u = (sqrt(g) x, sqrt(c)):
//   z = sqrt(1/D) prod_m s_m.u,  m = 1 ... p, s_m of +1 and -1,  E z(x).z(y) = (g x.y + c)^p
// Features are independent, unlike those of TensorSketch, so that they can be factors of a product.

#include <cmath>

#include "maps/formula/formula.h"
#include "random/draw.h"

namespace bochner {

namespace {

std::size_t sign_features(const FormulaOptions&, std::size_t asked) { return asked ? asked : 1024; }

// p matrices of signs, (inputs + 1) x features; the last input is the constant.
std::vector<double> draw_signs(const FormulaOptions& options) {
  const auto p = std::size_t(options.numbers[0]);
  const std::size_t width = options.inputs + 1, D = options.features;
  std::vector<double> drawn(p * width * D);
  for (std::size_t m = 0; m < p; ++m)
    for (std::size_t j = 0; j < width; ++j)
      for (std::size_t f = 0; f < D; ++f)
        drawn[(m * width + j) * D + f] = bits(options.seed, Draw::entry, f, j, m) & 1 ? 1 : -1;
  return drawn;
}

void write_signs(const FormulaOptions& options, Numbers drawn, MatrixView<const double> x, MatrixView<double> z) {
  const auto p = std::size_t(options.numbers[0]);
  const std::size_t width = options.inputs + 1, D = options.features;
  const double constant = std::sqrt(options.numbers[1]), root = std::sqrt(options.numbers[2]);
  Matrix<double> u(x.rows, width), factor(x.rows, D);
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t j = 0; j < x.cols; ++j) u(i, j) = root * x(i, j);
    u(i, x.cols) = constant;
    for (std::size_t f = 0; f < D; ++f) z(i, f) = 1 / std::sqrt(double(D));
  }
  for (std::size_t m = 0; m < p; ++m) {
    std::fill_n(factor.data(), x.rows * D, 0.0);
    add_products(u.view(), drawn.data() + m * width * D, factor.view());
    for (std::size_t i = 0; i < x.rows; ++i)
      for (std::size_t f = 0; f < D; ++f) z(i, f) *= factor(i, f);
  }
}

double signs_value(const FormulaOptions& options, Numbers x, Numbers y) {
  return std::pow(options.numbers[2] * dot(x, y) + options.numbers[1], options.numbers[0]);
}

// E (s.u)^2 (s.v)^2 = |u|^2 |v|^2 + 2 (u.v)^2 - 2 sum_j u_j^2 v_j^2.
double signs_variance(const FormulaOptions& options, Numbers x, Numbers y) {
  const double p = options.numbers[0], c = options.numbers[1], g = options.numbers[2], s = g * dot(x, y) + c;
  double fourth = c * c;
  for (std::size_t j = 0; j < x.size(); ++j) fourth += g * g * x[j] * x[j] * y[j] * y[j];
  const double second = (g * dot(x, x) + c) * (g * dot(y, y) + c) + 2 * (s * s - fourth);
  return (std::pow(second, p) - std::pow(s * s, p)) / double(options.features);
}

}  // namespace

const Formula kPolynomialSigns = {
    .name = "polynomial-signs",
    .parameters = {{"degree", 3, 1, 10, true}, {"offset", 1, 0, 1e12}, {"gamma", 1, 1e-12, 1e12}},
    .random = true,
    .independent = true,
    .features = sign_features,
    .draw = draw_signs,
    .drawn =
        [](const FormulaOptions& options) {
          return options.numbers[0] * double(options.inputs + 1) * double(options.features);
        },
    .write = write_signs,
    .kernel = signs_value,
    .variance = signs_variance};

}  // namespace bochner
