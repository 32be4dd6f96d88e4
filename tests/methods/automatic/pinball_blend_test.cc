// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/pinball_blend.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bochner/train.h"
#include "random/draw.h"

namespace bochner {
namespace {

struct Problem {
  Matrix<double> p;
  std::vector<double> y, w;

  explicit Problem(std::size_t n) : p(n, 2), y(n), w(n) {
    for (std::size_t i = 0; i < n; ++i) {
      const double x = normal(1, Draw::sample, i), error = normal(2, Draw::sample, i);
      p(i, 0) = x;
      p(i, 1) = 0.5 * x + normal(3, Draw::sample, i);
      y[i] = 3 + x + 0.3 * p(i, 1) + error * error;
      w[i] = i % 3 ? 1 : 2;
    }
  }
  double loss(double level, const std::vector<double>& b, double shift) const {
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double r = y[i] - shift - b[0] * p(i, 0) - b[1] * p(i, 1);
      sum += w[i] * std::max(level * r, (level - 1) * r);
    }
    return sum;
  }
};

TEST(PinballBlend, IsTheBestOfItsNeighbours) {
  const Problem problem(800);
  for (const double level : {0.1, 0.5, 0.9}) {
    const PinballBlend found = pinball_blend(problem.p, problem.y, problem.w, level, {0.5, 0.5});
    const double best = problem.loss(level, found.weights, found.shift);
    for (std::uint64_t trial = 0; trial < 200; ++trial) {
      std::vector<double> b = found.weights;
      const double size = trial % 2 ? 0.3 : 0.03;
      for (std::size_t j = 0; j < 2; ++j) b[j] = std::max(0.0, b[j] + size * normal(5, Draw::shift, trial, j));
      EXPECT_GE(problem.loss(level, b, found.shift + size * normal(5, Draw::shift, trial, 2)), best * (1 - 2e-3));
    }
    double below = 0, all = 0;
    for (std::size_t i = 0; i < 800; ++i) {
      all += problem.w[i];
      if (problem.y[i] <= found.shift + found.weights[0] * problem.p(i, 0) + found.weights[1] * problem.p(i, 1))
        below += problem.w[i];
    }
    EXPECT_NEAR(below / all, level, 0.01);
  }
}

TEST(PinballBlend, WithoutAMachineIsTheQuantile) {
  const Problem problem(100);
  std::vector<double> y(100), w(100, 1.0);
  for (std::size_t i = 0; i < 100; ++i) y[i] = double(i);
  const PinballBlend found = pinball_blend(Matrix<double>(100, 0), y, w, 0.9, {});
  EXPECT_NEAR(found.shift, 89.5, 1);
}

TEST(Optimize, IsReadFromWords) {
  EXPECT_EQ(parse_optimize("mae"), (Optimize{Optimize::Score::quantile, 0.5}));
  EXPECT_EQ(parse_optimize("quantile:0.9"), (Optimize{Optimize::Score::quantile, 0.9}));
  EXPECT_EQ(parse_optimize("auc"), parse_optimize("log-loss"));
  for (const char* wrong : {"", "quantile:", "quantile:1", "quantile:nan", "quantile:0.5x", "mean"})
    EXPECT_THROW(parse_optimize(wrong), std::invalid_argument) << wrong;
  EXPECT_FALSE(parse_optimize("mae").suits(Task::classification));
  EXPECT_FALSE(parse_optimize("error").suits(Task::regression));
}

}  // namespace
}  // namespace bochner
