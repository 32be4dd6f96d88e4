// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/conditional.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "random/draw.h"

namespace bochner {
namespace {

// Y is 2 + x or -2 - x with equal chances: its mean is 0 everywhere, its law is not.
struct Fork {
  explicit Fork(std::size_t rows) : x(rows, 1), y(rows, 1), weights(rows, 1.0) {
    schema.inputs = schema.targets = 1;
    for (std::size_t i = 0; i < rows; ++i) {
      x(i, 0) = float(2 * uniform(1, Draw::entry, i));
      const double side = uniform(2, Draw::entry, i) < 0.5 ? -1 : 1;
      y(i, 0) = side * (2 + double(x(i, 0))) + 0.2 * normal(3, Draw::entry, i);
    }
  }
  ConditionalEmbedding embed(int threads = 1, double lambda = 1e-4, std::size_t features = 128) const {
    const auto rows = memory_rows<float>(x.view(), y.view(), schema, weights.data());
    Execution execution;
    execution.threads = threads;
    return ConditionalEmbedding(*rows, fourier(1, {.kernel = gaussian(0.7), .features = 128}),
                                fourier(1, {.kernel = gaussian(0.5), .features = features, .seed = 1}), lambda,
                                execution);
  }
  Matrix<float> x;
  Matrix<double> y;
  std::vector<double> weights;
  Schema schema;
};

Matrix<double> line(double low, double high, std::size_t count) {
  Matrix<double> y(count, 1);
  for (std::size_t i = 0; i < count; ++i) y(i, 0) = low + (high - low) * double(i) / double(count - 1);
  return y;
}

TEST(ConditionalEmbedding, KnowsBothSidesOfAFork) {
  const ConditionalEmbedding law = Fork(4000).embed();
  const Matrix<double> y = line(-5, 5, 101);
  for (const double x : {0.2, 1.0, 1.8}) {
    const std::vector<double> density = law.at({&x, 1}, y.view());
    const auto peak = [&](std::size_t begin, std::size_t end) {
      const auto at = std::max_element(density.begin() + std::ptrdiff_t(begin), density.begin() + std::ptrdiff_t(end));
      return y(std::size_t(at - density.begin()), 0);
    };
    EXPECT_NEAR(peak(50, 101), 2 + x, 0.25);
    EXPECT_NEAR(peak(0, 50), -2 - x, 0.25);
    EXPECT_LT(density[50], 0.3 * *std::max_element(density.begin(), density.end()));  // nothing at the mean
  }
}

TEST(ConditionalEmbedding, HasExpectations) {
  const ConditionalEmbedding law = Fork(4000).embed();
  const Matrix<double> y = line(-5, 5, 41);
  std::vector<double> identity, square;
  for (std::size_t i = 0; i < y.rows(); ++i) {
    identity.push_back(y(i, 0));
    square.push_back(y(i, 0) * y(i, 0));
  }
  for (const double x : {0.5, 1.0, 1.5}) {
    EXPECT_NEAR(law.expected({&x, 1}, y.view(), identity), 0, 0.3);
    EXPECT_NEAR(law.expected({&x, 1}, y.view(), square), (2 + x) * (2 + x) + 0.04, 0.1 * (2 + x) * (2 + x));
  }
}

TEST(ConditionalEmbedding, IsTheSameForAnyThreads) {
  const Fork fork(3000);
  const double x = 0.7;
  const Matrix<double> y = line(-4, 4, 9);
  EXPECT_EQ(fork.embed(1).at({&x, 1}, y.view()), fork.embed(3).at({&x, 1}, y.view()));
}

TEST(ConditionalEmbedding, TakesAPriorByWeights) {
  Fork fork(4000);
  for (std::size_t i = 0; i < 4000; ++i) fork.weights[i] = fork.y(i, 0) > 0 ? 1 : 0.1;
  const double x = 1;
  Matrix<double> y(2, 1);
  y(0, 0) = 3, y(1, 0) = -3;
  // As many features as keep what they add between far points (a deviation of 1 / sqrt(1024)) below the bound.
  const std::vector<double> density = fork.embed(2, 1e-4, 2048).at({&x, 1}, y.view());
  EXPECT_NEAR(density[1] / density[0], 0.1, 0.05);
}

TEST(ConditionalEmbedding, RefusesWhatItCannotEmbed) {
  Fork fork(50);
  EXPECT_THROW(fork.embed(1, 0), std::invalid_argument);
  fork.weights.assign(50, 2.0);
  EXPECT_THROW(fork.embed(), std::invalid_argument);
  const auto rows = memory_rows<float>(fork.x.view(), fork.y.view(), fork.schema);
  EXPECT_THROW(ConditionalEmbedding(*rows, fourier(2, {}), fourier(1, {}), 1), std::invalid_argument);
  EXPECT_THROW(ConditionalEmbedding(*rows, nullptr, fourier(1, {}), 1), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
