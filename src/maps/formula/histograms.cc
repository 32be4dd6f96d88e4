// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Additive kernels of histograms by sampling their signatures (Vedaldi & Zisserman, TPAMI 2012):
//   k(x, y) = sum_j sqrt(x_j y_j) K(log y_j / x_j),  K(w) = int S(l) exp(i l w) dl
//   z_j = sqrt(x_j L) [sqrt S(0), sqrt(2 S(m L)) cos(m L log x_j), sqrt(2 S(m L)) sin(m L log x_j)],  m = 1 ... n - 1
// (roots of all inputs come first, then the first cosines of all, their sines, the second cosines, ...)
//   chi2            2 x y / (x + y)       S(l) = sech(pi l)
//   intersection    min(x, y)             S(l) = 2 / (pi (1 + 4 l^2))
//   jensen-shannon                        S(l) = 2 sech(pi l) / (log 4 (1 + 4 l^2))
// Inputs below 0 count as 0. Nothing is random. The skewed kernel (Li, Ionescu & Sminchisescu 2010) is:
//   prod_j 2 sqrt(a_j b_j) / (a_j + b_j), a = x + skew    z = sqrt(2/D) cos(w.log a + b),  w ~ sech(pi w)

#include "backend/histograms.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "maps/formula/formula.h"
#include "random/draw.h"
#include "random/elementary.h"

namespace bochner {

namespace {

double chi_signature(double l) { return 1 / std::cosh(std::numbers::pi * l); }
double intersection_signature(double l) { return 2 / (std::numbers::pi * (1 + 4 * l * l)); }
double jensen_signature(double l) { return chi_signature(l) / (std::numbers::ln2 * (1 + 4 * l * l)); }

double chi_pair(double x, double y) { return 2 * x * y / (x + y); }
double intersection_pair(double x, double y) { return std::min(x, y); }
double jensen_pair(double x, double y) { return (x * std::log2((x + y) / x) + y * std::log2((x + y) / y)) / 2; }

std::size_t histogram_features(const FormulaOptions& options, std::size_t) {
  return options.inputs * (2 * std::size_t(options.numbers[0]) - 1);
}

// Steps and lengths as Vedaldi & Zisserman's for few samples, where none is given.
double step_of(const FormulaOptions& options) {
  constexpr double kChosen[] = {0, 0.8, 0.5, 0.4};
  const std::size_t n = std::size_t(options.numbers[0]);
  return options.numbers[1] > 0 ? options.numbers[1] : n < 4 ? kChosen[n] : 1.2 / double(n);
}

template <double (*Signature)(double)>
std::vector<double> sample_signature(const FormulaOptions& options) {
  std::vector<double> roots;
  const double L = step_of(options);
  for (std::size_t m = 0; m < std::size_t(options.numbers[0]); ++m)
    roots.push_back(std::sqrt((m ? 2 : 1) * L * Signature(double(m) * L)));
  return roots;
}

template <class T>
void write_histogram(const FormulaOptions& options, Numbers roots, MatrixView<const T> x, MatrixView<T> z) {
  std::vector<T> rounded;
  const double turns = step_of(options) / (2 * std::numbers::pi);
  sample_signatures<T>(x, {numbers_as<T>(roots, rounded), roots.size()}, T(turns), z);
}

template <double (*Pair)(double, double)>
double histogram_value(const FormulaOptions&, Numbers x, Numbers y) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j)
    if (x[j] > 0 && y[j] > 0) sum += Pair(x[j], y[j]);
  return sum;
}

std::size_t skewed_features(const FormulaOptions&, std::size_t asked) { return asked ? asked : 1024; }

// Frequencies in turns, inputs x features, by the inverse of their distribution 2 atan(exp(pi w)) / pi; then the
// phases.
std::vector<double> draw_skewed(const FormulaOptions& options) {
  const std::size_t D = options.features;
  std::vector<double> drawn((options.inputs + 1) * D);
  for (std::size_t f = 0; f < D; ++f) {
    for (std::size_t j = 0; j < options.inputs; ++j) {
      const double half = uniform(options.seed, Draw::frequency, f, j) / 2;
      drawn[j * D + f] =
          portable_log(portable_sin_pi(half) / portable_cos_pi(half)) / (2 * std::numbers::pi * std::numbers::pi);
    }
    drawn[options.inputs * D + f] = uniform(options.seed, Draw::phase, f);
  }
  return drawn;
}

template <class T>
void write_skewed(const FormulaOptions& options, Numbers drawn, MatrixView<const T> x, MatrixView<T> z) {
  const std::size_t d = options.inputs, D = options.features;
  std::vector<T> rounded;
  const T* W = numbers_as<T>(drawn, rounded);
  skewed_cosines<T>(x, {T(options.numbers[0]), T(std::sqrt(2 / double(D))), {W, d, D, D}, W + d * D}, z);
}

// times: the logarithms' difference is multiplied by it.
double skewed_product(const FormulaOptions& options, Numbers x, Numbers y, double times) {
  double product = 1;
  for (std::size_t j = 0; j < x.size(); ++j)
    product /= std::cosh(
        times / 2 *
        (std::log(std::max(x[j], 0.0) + options.numbers[0]) - std::log(std::max(y[j], 0.0) + options.numbers[0])));
  return product;
}
double skewed_value(const FormulaOptions& options, Numbers x, Numbers y) { return skewed_product(options, x, y, 1); }
double skewed_variance(const FormulaOptions& options, Numbers x, Numbers y) {
  const double k = skewed_product(options, x, y, 1), k2 = skewed_product(options, x, y, 2);
  return (1 + k2 / 2 - k * k) / double(options.features);
}

template <double (*Signature)(double), double (*Pair)(double, double)>
Formula histogram_formula(const char* name) {
  return {.name = name,
          .parameters = {{"steps", 2, 1, 100, true}, {"interval", 0, 0, 10}},
          .random = false,
          .as_given = true,
          .from_zero = true,
          .features = histogram_features,
          .draw = sample_signature<Signature>,
          .drawn = [](const FormulaOptions& options) { return options.numbers[0]; },
          .write = write_histogram<double>,
          .write_float = write_histogram<float>,
          .kernel = histogram_value<Pair>,
          .variance = nullptr};
}

}  // namespace

const Formula kChiSquared = histogram_formula<chi_signature, chi_pair>("chi2");
const Formula kIntersection = histogram_formula<intersection_signature, intersection_pair>("intersection");
const Formula kJensenShannon = histogram_formula<jensen_signature, jensen_pair>("jensen-shannon");
const Formula kSkewedChiSquared = {
    .name = "skewed-chi2",
    .parameters = {{"skew", 1, 1e-12, 1e12}},
    .random = true,
    .independent = true,
    .as_given = true,
    .from_zero = true,
    .features = skewed_features,
    .draw = draw_skewed,
    .drawn = [](const FormulaOptions& options) { return double(options.inputs + 1) * double(options.features); },
    .write = write_skewed<double>,
    .write_float = write_skewed<float>,
    .kernel = skewed_value,
    .variance = skewed_variance};

}  // namespace bochner
