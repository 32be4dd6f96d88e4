// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "choose/whitening.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bochner/model.h"
#include "bochner/train.h"
#include "bochner/transform.h"
#include "choose/problem.h"

namespace bochner {
namespace {

constexpr std::size_t kRows = 400;

// Correlated inputs of other units; the last is the sum of two others.
Matrix<double> correlated() {
  Matrix<double> x(kRows, 4);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < 3; ++j) x(i, j) = normal(3, Draw::sample, i, j);
    x(i, 1) = 1000 * (x(i, 0) + 0.3 * x(i, 1)) + 7;
    x(i, 3) = x(i, 0) + x(i, 2);
  }
  return x;
}

double covariance(const Matrix<double>& z, const std::vector<double>& weights, std::size_t a, std::size_t b) {
  double total = 0, mean_a = 0, mean_b = 0, sum = 0;
  for (const double w : weights) total += w;
  for (std::size_t i = 0; i < z.rows(); ++i)
    mean_a += weights[i] * z(i, a) / total, mean_b += weights[i] * z(i, b) / total;
  for (std::size_t i = 0; i < z.rows(); ++i) sum += weights[i] / total * (z(i, a) - mean_a) * (z(i, b) - mean_b);
  return sum;
}

Matrix<double> whitened(const Matrix<double>& x, const std::vector<double>& weights, const std::vector<char>& chosen,
                        int count) {
  Threads threads(count);
  return transform<double>(whitening(x, weights, chosen, threads), x.view());
}

TEST(Whitening, LeavesNoCorrelationAndNothingOfWhatOthersTell) {
  const Matrix<double> x = correlated();
  std::vector<double> weights(kRows);
  for (std::size_t i = 0; i < kRows; ++i) weights[i] = 1 + double(i % 3);
  const Matrix<double> z = whitened(x, weights, {1, 1, 1, 1}, 1);
  int told = 0;
  for (std::size_t a = 0; a < 4; ++a) {
    const double variance = covariance(z, weights, a, a);
    told += variance < 1e-9;
    if (variance >= 1e-9) {
      EXPECT_NEAR(variance, 1, 1e-6);
    }
    for (std::size_t b = 0; b < a; ++b) EXPECT_NEAR(covariance(z, weights, a, b), 0, 1e-6);
  }
  EXPECT_EQ(told, 1);
}

TEST(Whitening, LeavesOtherInputsAndIsTheSameForAnyNumberOfThreads) {
  const Matrix<double> x = correlated();
  const std::vector<double> weights(kRows, 1.0);
  const Matrix<double> one = whitened(x, weights, {1, 1, 0, 1}, 1), three = whitened(x, weights, {1, 1, 0, 1}, 3);
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < 4; ++j) {
      EXPECT_EQ(one(i, j), three(i, j));
      if (j == 2) {
        EXPECT_EQ(one(i, j), x(i, j));
      }
    }
}

TEST(Whitening, IsAScalingOfTrainings) {
  Problem p(kRows);
  p.x = correlated();
  TrainOptions options{.features = 64, .scale = ColumnScaling::Method::whiten};
  const auto rows = p.rows();
  const Model model = train(*rows, options);
  EXPECT_NE(model.report().map.find("linear"), std::string::npos) << model.report().map;
  options.scale = std::nullopt;
  options.scale_inputs = {{"x0", ColumnScaling::Method::whiten}, {"x1", ColumnScaling::Method::whiten}};
  EXPECT_NO_THROW(train(*p.rows(), options));
  EXPECT_THROW(scaling({{.method = ColumnScaling::Method::whiten}}), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
