// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/intervals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "random/draw.h"

namespace bochner {
namespace {

double draw(std::size_t i, std::size_t j) { return normal(12, Draw::sample, i, j); }

struct Predicted {
  Matrix<double> predictions, targets;
};

// Errors of a skew law about predictions in [0, 10]; `growing`: in proportion to them.
Predicted skew(std::size_t n, std::size_t seed, bool growing) {
  Predicted p{Matrix<double>(n, 1), Matrix<double>(n, 1)};
  for (std::size_t i = 0; i < n; ++i) {
    p.predictions(i, 0) = 5 + 5 * std::tanh(draw(i, 10 * seed));
    const double error = std::exp(draw(i, 10 * seed + 1)) - 1.6;
    p.targets(i, 0) = p.predictions(i, 0) + error * (growing ? 0.5 + p.predictions(i, 0) : 1);
  }
  return p;
}

double inside(const Intervals& intervals, const Predicted& p, double level, double least = -1, double most = 11) {
  double count = 0, rows = 0;
  for (std::size_t i = 0; i < p.targets.rows(); ++i) {
    if (p.predictions(i, 0) < least || p.predictions(i, 0) > most) continue;
    const auto [lower, upper] = intervals.around(p.predictions(i, 0), level);
    count += p.targets(i, 0) >= lower && p.targets(i, 0) <= upper;
    rows += 1;
  }
  return count / rows;
}

TEST(Intervals, HoldTheShareTheyPromise) {
  for (const bool growing : {false, true}) {
    const Predicted known = skew(3000, 1, growing), fresh = skew(20000, 2, growing);
    const Intervals found = learn_intervals(known.predictions.view(), known.targets.view());
    for (const double level : {0.5, 0.8, 0.9, 0.99}) EXPECT_NEAR(inside(found, fresh, level), level, 0.02) << level;
  }
}

// A spread learnt from the same residuals that it divides would make those too small.
TEST(Intervals, HoldItOnTheAverageOverFewRowsToo) {
  const Predicted fresh = skew(40000, 1, true);
  double sum = 0;
  constexpr std::size_t kDraws = 200;
  for (std::size_t seed = 2; seed < 2 + kDraws; ++seed) {
    const Predicted known = skew(600, seed, true);
    sum += inside(learn_intervals(known.predictions.view(), known.targets.view()), fresh, 0.8);
  }
  EXPECT_GE(sum / double(kDraws), 0.8);
  EXPECT_LT(sum / double(kDraws), 0.81);
}

TEST(Intervals, AreWiderWhereErrorsAreLarger) {
  const Predicted known = skew(3000, 1, true), fresh = skew(20000, 2, true);
  const Intervals found = learn_intervals(known.predictions.view(), known.targets.view());
  EXPECT_FALSE(found.targets[0].spreads.empty());
  EXPECT_NEAR(inside(found, fresh, 0.9, -1, 3), 0.9, 0.05);
  EXPECT_NEAR(inside(found, fresh, 0.9, 8, 11), 0.9, 0.05);
}

// As the definition has it: of n residuals the ceil((n + 1) (1 - alpha / 2))-th from each end.
TEST(Intervals, TakeTheOrderStatisticsOfConformalPrediction) {
  Predicted p{Matrix<double>(99, 1), Matrix<double>(99, 1)};
  for (std::size_t i = 0; i < 99; ++i) p.targets(i, 0) = double((i * 37) % 99);  // residuals 0 ... 98
  const Intervals found = learn_intervals(p.predictions.view(), p.targets.view());
  EXPECT_EQ(found.around(1000, 0.9), (std::pair<double, double>(1004, 1094)));  // the 95th of each end
  EXPECT_EQ(found.around(0, 0.98), (std::pair<double, double>(0, 98)));
  EXPECT_NEAR(found.greatest_level(), 0.98, 1e-12);
  EXPECT_THROW(found.around(0, 0.99), std::invalid_argument);
  EXPECT_THROW(found.around(0, 0), std::invalid_argument);
  EXPECT_THROW(found.around(0, 0.9, 1), std::invalid_argument);
}

TEST(Intervals, EachTargetHasItsOwnInItsUnit) {
  const Predicted p = skew(1000, 1, false);
  Matrix<double> predictions(1000, 2), targets(1000, 2);
  for (std::size_t i = 0; i < 1000; ++i)
    for (const std::size_t k : {0u, 1u}) {
      predictions(i, k) = (k ? 1e6 : 1) * p.predictions(i, 0);
      targets(i, k) = (k ? 1e6 : 1) * p.targets(i, 0);
    }
  const Intervals found = learn_intervals(predictions.view(), targets.view());
  const auto [a, b] = found.around(4, 0.9, 0);
  const auto [c, d] = found.around(4e6, 0.9, 1);
  EXPECT_NEAR(c, 1e6 * a, 1e-3);
  EXPECT_NEAR(d, 1e6 * b, 1e-3);
}

TEST(Intervals, WeightsCountRows) {
  Predicted p{Matrix<double>(200, 1), Matrix<double>(200, 1)};
  std::vector<double> weights;
  for (std::size_t i = 0; i < 200; ++i) {
    p.targets(i, 0) = i < 100 ? double(i) : 1000;  // the others do not count
    weights.push_back(i < 100 ? 1.5 : 0);
  }
  const Intervals found = learn_intervals(p.predictions.view(), p.targets.view(), weights);
  EXPECT_EQ(found.rows, 100);
  EXPECT_LT(found.around(0, 0.9).second, 100);
  for (std::size_t i = 0; i < 200; ++i) weights[i] = i < 100 ? 1 : 1e-6;
  EXPECT_LT(learn_intervals(p.predictions.view(), p.targets.view(), weights).around(0, 0.9).second, 100);
}

TEST(Intervals, OfATargetThatNeverErrsAreAPoint) {
  Matrix<double> values(300, 1);
  for (std::size_t i = 0; i < 300; ++i) values(i, 0) = 7;
  const Intervals found = learn_intervals(values.view(), values.view());
  EXPECT_EQ(found.around(7, 0.9), (std::pair<double, double>(7, 7)));
}

}  // namespace
}  // namespace bochner
