// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// The share of inputs that are equal, h, to a power p: rows of categories, codes or sets of 0 and 1. A feature looks at
// p inputs drawn at random, and is a random sign of what they hold, times sqrt(1/D):
//   k(x, y) = h^p,  h = #{j: x_j = y_j} / d

#include <bit>
#include <cmath>

#include "maps/formula/formula.h"
#include "random/draw.h"

namespace bochner {

namespace {

std::size_t hamming_features(const FormulaOptions&, std::size_t asked) { return asked ? asked : 1024; }

// The inputs that each feature looks at.
std::vector<double> draw_hamming(const FormulaOptions& options) {
  const auto p = std::size_t(options.numbers[0]);
  std::vector<double> drawn(options.features * p);
  for (std::size_t f = 0; f < options.features; ++f)
    for (std::size_t m = 0; m < p; ++m)
      drawn[f * p + m] = double(bits(options.seed, Draw::subset, f, m) % options.inputs);
  return drawn;
}

void write_hamming(const FormulaOptions& options, Numbers drawn, MatrixView<const double> x, MatrixView<double> z) {
  const auto p = std::size_t(options.numbers[0]);
  const double scale = 1 / std::sqrt(double(options.features));
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t f = 0; f < z.cols; ++f) {
      std::uint64_t sign = 0;
      for (std::size_t m = 0; m < p; ++m) {
        const double value = x(i, std::size_t(drawn[f * p + m])) + 0.0;  // -0 is 0
        sign ^= bits(options.seed, Draw::flip, f, m, std::bit_cast<std::uint64_t>(value));
      }
      z(i, f) = sign & 1 ? scale : -scale;
    }
}

double hamming_value(const FormulaOptions& options, Numbers x, Numbers y) {
  double equal = 0;
  for (std::size_t j = 0; j < x.size(); ++j) equal += x[j] == y[j];
  return std::pow(equal / double(x.size()), options.numbers[0]);
}

double hamming_variance(const FormulaOptions& options, Numbers x, Numbers y) {
  const double k = hamming_value(options, x, y);
  return (1 - k * k) / double(options.features);
}

}  // namespace

const Formula kHamming = {
    .name = "hamming",
    .parameters = {{"power", 1, 1, 100, true}},
    .random = true,
    .independent = true,
    .as_given = true,
    .features = hamming_features,
    .draw = draw_hamming,
    .drawn = [](const FormulaOptions& options) { return options.numbers[0] * double(options.features); },
    .write = write_hamming,
    .kernel = hamming_value,
    .variance = hamming_variance};

}  // namespace bochner
