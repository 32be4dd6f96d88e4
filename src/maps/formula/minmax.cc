// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// The min-max kernel sum_j min(x_j, y_j) / sum_j max(x_j, y_j), of 0 and 1 Jaccard's similarity, by consistent weighted
// sampling (Ioffe, ICDM 2010): for each feature, r, c ~ Gamma(2, 1) and b ~ U[0, 1) of each input,
//   t_j = floor(log x_j / r_j + b_j),  log a_j = log c_j - r_j (t_j - b_j) - r_j,  j* = argmin a_j
// Two rows have the same (j*, t) with the kernel's probability; a random sign of it is the feature, times sqrt(1/D).
// Inputs below 0 count as 0; a row without any is 0.

#include <algorithm>
#include <cmath>
#include <limits>

#include "maps/formula/formula.h"
#include "random/draw.h"

namespace bochner {

namespace {

std::size_t minmax_features(const FormulaOptions&, std::size_t asked) { return asked ? asked : 1024; }

// r, log c and b of feature f and input j, side by side.
std::vector<double> draw_minmax(const FormulaOptions& options) {
  std::vector<double> drawn;
  drawn.reserve(3 * options.features * options.inputs);
  for (std::size_t f = 0; f < options.features; ++f)
    for (std::size_t j = 0; j < options.inputs; ++j) {
      drawn.push_back(gamma_draw(options.seed, Draw::radius, 2, f, j));
      drawn.push_back(std::log(gamma_draw(options.seed, Draw::stable, 2, f, j)));
      drawn.push_back(uniform(options.seed, Draw::phase, f, j));
    }
  return drawn;
}

void write_minmax(const FormulaOptions& options, Numbers drawn, MatrixView<const double> x, MatrixView<double> z) {
  std::vector<std::size_t> there;
  std::vector<double> logs;
  for (std::size_t i = 0; i < x.rows; ++i) {
    there.clear();
    logs.clear();
    for (std::size_t j = 0; j < x.cols; ++j)
      if (x(i, j) > 0) there.push_back(j), logs.push_back(std::log(x(i, j)));
    for (std::size_t f = 0; f < z.cols && !there.empty(); ++f) {
      double least = std::numeric_limits<double>::infinity(), level = 0;
      std::size_t winner = 0;
      for (std::size_t k = 0; k < there.size(); ++k) {
        const double* of = &drawn[3 * (f * options.inputs + there[k])];
        const double t = std::floor(logs[k] / of[0] + of[2]), a = of[1] - of[0] * (t - of[2] + 1);
        if (a < least) least = a, winner = there[k], level = t;
      }
      const std::uint64_t word = bits(options.seed, Draw::flip, f, winner, std::uint64_t(std::int64_t(level)));
      z(i, f) = (word & 1 ? 1 : -1) / std::sqrt(double(options.features));
    }
  }
}

double minmax_value(const FormulaOptions&, Numbers x, Numbers y) {
  double least = 0, most = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double a = std::max(x[j], 0.0), b = std::max(y[j], 0.0);
    least += std::min(a, b);
    most += std::max(a, b);
  }
  return most > 0 ? least / most : 0;
}

double minmax_variance(const FormulaOptions& options, Numbers x, Numbers y) {
  const double k = minmax_value(options, x, y);
  const bool both = std::any_of(x.begin(), x.end(), [](double v) { return v > 0; }) &&
                    std::any_of(y.begin(), y.end(), [](double v) { return v > 0; });
  return both ? (1 - k * k) / double(options.features) : 0;
}

}  // namespace

const Formula kMinMax = {
    .name = "minmax",
    .parameters = {},
    .random = true,
    .independent = true,
    .as_given = true,
    .from_zero = true,
    .features = minmax_features,
    .draw = draw_minmax,
    .drawn = [](const FormulaOptions& options) { return 3.0 * double(options.inputs) * double(options.features); },
    .write = write_minmax,
    .kernel = minmax_value,
    .variance = minmax_variance};

}  // namespace bochner
