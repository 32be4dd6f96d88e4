// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// The periodic kernel (MacKay 1998), a product over the inputs of von Mises densities,
//   k(x, y) = exp(-2 sum_j sin^2(pi (x_j - y_j) / period) / length^2) = prod_j sum_n p(n) cos(2 pi n (x_j - y_j) /
//   period) p(n) = exp(-a) I_n(a), a = 1 / length^2: whole frequencies, so that features have the period to the bit z =
//   sqrt(2/D) [cos w.x, sin w.x],  w = 2 pi n / period

#include <algorithm>
#include <cmath>
#include <numbers>

#include "maps/formula/formula.h"
#include "random/draw.h"

namespace bochner {

namespace {

std::size_t periodic_features(const FormulaOptions&, std::size_t asked) {
  const std::size_t wanted = asked ? asked : 1024;
  return wanted + wanted % 2;
}

// p(0), 2 p(1), 2 p(2), ... by Miller's backward recurrence I_n-1 = I_n+1 + 2 n I_n / a; their sum is 1.
std::vector<double> shares_of_orders(double a) {
  const auto most = std::size_t(a + 12 * std::sqrt(a) + 40);
  std::vector<double> share(most + 1);
  double above = 0, here = 1;
  for (std::size_t n = most; n > 0; --n) {
    share[n] = 2 * here;
    const double below = above + 2 * double(n) / a * here;
    above = here;
    here = below;
    if (here < 1e200) continue;
    for (double& value : share) value *= 1e-200;
    above *= 1e-200;
    here *= 1e-200;
  }
  share[0] = here;
  double sum = 0;
  for (const double value : share) sum += value;
  for (double& value : share) value /= sum;
  return share;
}

double periodic_drawn(const FormulaOptions& options) { return double(options.inputs) * double(options.features) / 2; }

// Whole numbers n, inputs x frequencies.
std::vector<double> draw_periodic(const FormulaOptions& options) {
  const std::size_t F = options.features / 2;
  const std::vector<double> share = shares_of_orders(1 / (options.numbers[1] * options.numbers[1]));
  std::vector<double> drawn(options.inputs * F);
  for (std::size_t f = 0; f < F; ++f)
    for (std::size_t j = 0; j < options.inputs; ++j) {
      double u = uniform(options.seed, Draw::frequency, f, j);
      std::size_t n = 0;
      while (n + 1 < share.size() && u > share[n]) u -= share[n++];
      drawn[j * F + f] = double(n) * (bits(options.seed, Draw::flip, f, j) & 1 ? 1 : -1);
    }
  return drawn;
}

void write_periodic(const FormulaOptions& options, Numbers drawn, MatrixView<const double> x, MatrixView<double> z) {
  const std::size_t F = options.features / 2;
  Matrix<double> turns(x.rows, x.cols), sums(x.rows, F);
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t j = 0; j < x.cols; ++j) {
      const double turn = x(i, j) / options.numbers[0];
      turns(i, j) = turn - std::floor(turn);
    }
  add_products(turns.view(), drawn.data(), sums.view());
  const double scale = std::sqrt(2 / double(options.features));
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t f = 0; f < F; ++f) {
      const double angle = 2 * std::numbers::pi * sums(i, f);
      z(i, f) = scale * std::cos(angle);
      z(i, F + f) = scale * std::sin(angle);
    }
}

double periodic_of(const FormulaOptions& options, Numbers x, Numbers y, double times) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double s = std::sin(std::numbers::pi * times * (x[j] - y[j]) / options.numbers[0]);
    sum += s * s;
  }
  return std::exp(-2 * sum / (options.numbers[1] * options.numbers[1]));
}
double periodic_value(const FormulaOptions& options, Numbers x, Numbers y) { return periodic_of(options, x, y, 1); }
double periodic_variance(const FormulaOptions& options, Numbers x, Numbers y) {
  const double k = periodic_of(options, x, y, 1), k2 = periodic_of(options, x, y, 2);
  return (1 + k2 - 2 * k * k) / double(options.features);
}

// exp(kappa sum_j (cos(2 pi D_j / period) - 1)): the density of von Mises is the same kernel by its concentration.
FormulaOptions by_length(FormulaOptions options) {
  options.numbers[1] = 1 / std::sqrt(options.numbers[1]);
  return options;
}

}  // namespace

const Formula kVonMises = {.name = "von-mises",
                           .parameters = {{"period", 360, 1e-12, 1e12}, {"kappa", 1, 1e-6, 2500}},
                           .random = true,
                           .as_given = true,
                           .features = periodic_features,
                           .draw = [](const FormulaOptions& options) { return draw_periodic(by_length(options)); },
                           .drawn = periodic_drawn,
                           .write = write_periodic,  // which sees the period alone
                           .kernel = [](const FormulaOptions& options, Numbers x,
                                        Numbers y) { return periodic_value(by_length(options), x, y); },
                           .variance = [](const FormulaOptions& options, Numbers x,
                                          Numbers y) { return periodic_variance(by_length(options), x, y); }};

const Formula kPeriodic = {.name = "periodic",
                           .parameters = {{"period", 1, 1e-12, 1e12}, {"length", 1, 0.02, 1e3}},
                           .random = true,
                           .as_given = true,
                           .features = periodic_features,
                           .draw = draw_periodic,
                           .drawn = periodic_drawn,
                           .write = write_periodic,
                           .kernel = periodic_value,
                           .variance = periodic_variance};

}  // namespace bochner
