// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/deviation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "bochner/error.h"
#include "bochner/train.h"
#include "learn/deviation.h"
#include "maps/lower_factor.h"
#include "maps/variance.h"
#include "random/draw.h"
#include "scratch.h"

namespace bochner {
namespace {

double draw(std::size_t i, std::size_t j) { return normal(17, Draw::sample, i, j); }

// y = sin 2a + b/2 + noise in two inputs, and other rows to answer for.
struct Problem {
  std::size_t n;
  Matrix<double> x{n, 2}, y{n, 1}, fresh{30, 2};
  Schema schema;

  explicit Problem(std::size_t rows, std::size_t targets = 1) : n(rows), y(rows, targets) {
    schema.inputs = 2;
    schema.targets = targets;
    for (std::size_t i = 0; i < n; ++i) {
      for (const std::size_t j : {0u, 1u}) x(i, j) = double(float(draw(i, j)));
      y(i, 0) = std::sin(2 * x(i, 0)) + 0.5 * x(i, 1) + 0.2 * draw(i, 2);
      for (std::size_t k = 1; k < targets; ++k) y(i, k) = 1000 * (x(i, 1) + double(k) * draw(i, 2 + k));
    }
    for (std::size_t i = 0; i < fresh.rows(); ++i)
      for (const std::size_t j : {0u, 1u}) fresh(i, j) = double(float(2 * draw(n + i, j)));
  }
  std::unique_ptr<Rows> rows() const { return memory_rows<double>(x.view(), y.view(), schema); }
  std::unique_ptr<Rows> new_rows() const { return memory_rows<double>(fresh.view(), {}, schema); }
};

double k(const Matrix<double>& a, std::size_t i, const Matrix<double>& b, std::size_t j) {
  double sum = 0;
  for (std::size_t c = 0; c < a.cols(); ++c) sum += (a(i, c) - b(j, c)) * (a(i, c) - b(j, c));
  return std::exp(-sum / 2);
}

Matrix<double> transposed_solution(const Matrix<double>& lower, std::vector<double> b) {  // L^-1 b
  Matrix<double> out(b.size(), 1);
  for (std::size_t i = 0; i < b.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) b[i] -= lower(i, j) * out(j, 0);
    out(i, 0) = b[i] / lower(i, i);
  }
  return out;
}

// Where all rows are landmarks, ridge is the mean of the kernel's own Gaussian process, by definition here.
TEST(Deviation, IsThatOfTheGaussianProcess) {
  const Problem p(60);
  const double lambda = 1e-3, shift = lambda * double(p.n);
  const auto rows = p.rows();
  RidgeOptions options{.lambdas = {lambda}, .intercept = false, .deviation = true};
  TrainOptions train_options;
  train_options.kernel = gaussian(1);
  train_options.bandwidth = 1.0;
  train_options.map = parse_map_options("nystroem:landmarks=uniform,tolerance=1e-13");
  train_options.features = p.n;
  train_options.scale = ColumnScaling::Method::none;
  train_options.double_precision = true;
  train_options.ridge = options;
  const Model model = train(*rows, train_options);

  Matrix<double> lower(p.n, p.n);  // K / shift + I, then its factor
  std::vector<double> y(p.n);
  for (std::size_t i = 0; i < p.n; ++i) {
    y[i] = p.y(i, 0);
    for (std::size_t j = 0; j < p.n; ++j) lower(i, j) = k(p.x, i, p.x, j) / shift + (i == j);
  }
  ASSERT_EQ(factor_lower_in_place(lower.view()), 0u);
  const Matrix<double> a = transposed_solution(lower, y);
  double noise = 0, volume = 0;
  for (std::size_t i = 0; i < p.n; ++i) {
    noise += a(i, 0) * a(i, 0) / double(p.n);
    volume += 2 * std::log(lower(i, i));
  }
  ASSERT_EQ(model.report().log_marginal_likelihood.size(), 1u);
  EXPECT_NEAR(model.report().log_marginal_likelihood[0],
              -0.5 * (double(p.n) * (std::log(2 * std::numbers::pi * noise) + 1) + volume), 1e-6 * double(p.n));

  const auto fresh = p.new_rows();
  const Matrix<double> found = model.predict_with_deviation(*fresh), plain = model.predict(*p.new_rows());
  for (std::size_t i = 0; i < p.fresh.rows(); ++i) {
    std::vector<double> to_rows(p.n);
    for (std::size_t j = 0; j < p.n; ++j) to_rows[j] = k(p.fresh, i, p.x, j) / shift;
    const Matrix<double> b = transposed_solution(lower, to_rows);
    double mean = 0, variance = 1 / shift;
    for (std::size_t j = 0; j < p.n; ++j) {
      mean += a(j, 0) * b(j, 0);
      variance -= b(j, 0) * b(j, 0);
    }
    EXPECT_EQ(found(i, 0), plain(i, 0));
    EXPECT_NEAR(found(i, 0), mean, 1e-6);
    EXPECT_NEAR(found(i, 1), std::sqrt(noise * (1 + variance)), 1e-6 * found(i, 1)) << i;
  }
}

// y = w.z + b by least squares: the textbook's variance of a prediction, s^2 (1 + 1/n + z'(Z'Z)^-1 z).
TEST(Deviation, OfLeastSquaresIsTheTextbooks) {
  const Problem p(500, 3);
  const auto rows = p.rows();
  TrainOptions options;
  options.map = parse_map_options("none");
  options.scale = ColumnScaling::Method::none;
  options.ridge = {.lambdas = {1e-9}, .deviation = true};
  options.double_precision = true;
  const Model model = train(*rows, options);
  const Matrix<double> fitted = model.predict(*p.rows()), found = model.predict_with_deviation(*p.new_rows());
  double m[2] = {0, 0}, S[2][2] = {{0, 0}, {0, 0}};
  for (std::size_t i = 0; i < p.n; ++i)
    for (const int c : {0, 1}) m[c] += p.x(i, std::size_t(c)) / double(p.n);
  for (std::size_t i = 0; i < p.n; ++i)
    for (const int a : {0, 1})
      for (const int b : {0, 1}) S[a][b] += (p.x(i, std::size_t(a)) - m[a]) * (p.x(i, std::size_t(b)) - m[b]);
  const double det = S[0][0] * S[1][1] - S[0][1] * S[1][0];
  for (std::size_t t = 0; t < 3; ++t) {
    double left = 0;
    for (std::size_t i = 0; i < p.n; ++i) left += (p.y(i, t) - fitted(i, t)) * (p.y(i, t) - fitted(i, t));
    for (std::size_t i = 0; i < p.fresh.rows(); ++i) {
      const double u = p.fresh(i, 0) - m[0], v = p.fresh(i, 1) - m[1];
      const double leverage = (u * u * S[1][1] - 2 * u * v * S[0][1] + v * v * S[0][0]) / det;
      const double expected = std::sqrt(left / double(p.n - 1) * (1 + 1 / double(p.n) + leverage));
      EXPECT_NEAR(found(i, 3 + t), expected, 1e-6 * expected) << t << " " << i;
    }
  }
}

TEST(Deviation, IsKeptInTheFile) {
  const testing_files::Scratch scratch;
  const Problem p(400, 2);
  const auto rows = p.rows();
  TrainOptions options;
  options.features = 64;
  options.ridge.deviation = true;
  options.calibrate = true;
  const Model model = train(*rows, options);
  model.save(scratch.path("m"));
  const Model again = Model::load(scratch.path("m"));
  ASSERT_TRUE(again.deviation().has_value());
  EXPECT_EQ(again.deviation()->targets, model.deviation()->targets);
  const Matrix<double> found = again.predict_with_deviation(*p.new_rows());
  EXPECT_EQ(found, model.predict_with_deviation(*p.new_rows()));
  for (std::size_t i = 0; i < found.rows(); ++i) EXPECT_GT(found(i, 2), 0.1);

  options.ridge.deviation = false;
  const Model calibrated = train(*p.rows(), options);
  EXPECT_FALSE(calibrated.deviation().has_value());
  const Matrix<double> by_residuals = calibrated.predict_with_deviation(*p.new_rows());
  const Intervals::Target& target = calibrated.intervals()->targets[0];
  for (std::size_t i = 0; i < found.rows(); ++i) {
    EXPECT_EQ(by_residuals(i, 0), found(i, 0));
    EXPECT_DOUBLE_EQ(by_residuals(i, 2), target.root_mean_square() * target.spread(found(i, 0)));
  }
  options.calibrate = false;
  EXPECT_THROW(train(*p.rows(), options).predict_with_deviation(*p.new_rows()), std::invalid_argument);
}

TEST(Deviation, ThatIsDamagedOrOfAnotherModelIsRefused) {
  const testing_files::Scratch scratch;
  const Problem p(100);
  Model model(p.schema, {}, linear(Matrix<double>(2, 1), {0.0}), {});
  const MapPtr variance = variance_map({.inputs = 2, .constant = 1});
  EXPECT_THROW(model.set_deviation(Deviation{nullptr, {{1, 1}}}), std::invalid_argument);
  EXPECT_THROW(model.set_deviation(Deviation{variance, {{1, 1}, {1, 1}}}), std::invalid_argument);
  EXPECT_THROW(model.set_deviation(Deviation{variance_map({.inputs = 3}), {{1, 1}}}), std::invalid_argument);
  EXPECT_THROW(model.set_deviation(Deviation{linear(Matrix<double>(2, 2), {}), {{1, 1}}}), std::invalid_argument);
  EXPECT_THROW(variance_map({.inputs = 2, .center = {0, 0}, .lower = Matrix<double>(3, 3)}), std::invalid_argument);
  EXPECT_THROW(variance_map({.inputs = 2, .constant = std::nan("")}), std::invalid_argument);
  EXPECT_THROW(model.set_deviation(Deviation{variance, {{std::nan(""), 1}}}), std::invalid_argument);
  for (const Deviation::Target target : {Deviation::Target{-1, 1}, {1, -1}}) {
    model.set_deviation(Deviation{variance, {target}});
    model.save(scratch.path("m"));
    EXPECT_THROW(Model::load(scratch.path("m")), Error);
  }
}

TEST(Deviation, FindsNoiseAndScale) {
  for (const double scale : {0.0, 4.0}) {
    std::vector<double> residuals, variances, weights;
    for (std::size_t i = 0; i < 20000; ++i) {
      variances.push_back(double(i % 100) / 20);
      weights.push_back(i % 7 == 0 ? 0 : 1);
      residuals.push_back(i % 7 == 0 ? 50 : std::sqrt(0.5 + scale * variances.back()) * draw(i, 1));
    }
    const Deviation::Target found = likeliest_scales(residuals, variances, weights);
    EXPECT_NEAR(found.noise, 0.5, 0.15);
    EXPECT_NEAR(found.scale, scale, 0.6);
  }
  const Deviation::Target exact = likeliest_scales(std::vector<double>(9, 0.0), std::vector<double>(9, 1.0));
  EXPECT_EQ(exact, (Deviation::Target{0, 0}));
}

}  // namespace
}  // namespace bochner
