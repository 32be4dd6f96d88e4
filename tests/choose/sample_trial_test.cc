// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "choose/sample_trial.h"

#include <gtest/gtest.h>

#include "choose/problem.h"

namespace bochner {
namespace {

MapPtr features(double bandwidth) { return fourier(4, {.kernel = gaussian(bandwidth), .features = 64, .seed = 3}); }

TEST(SampleTrial, LikesTheBandwidthThatPredictsByEitherJudgement) {
  for (const std::size_t n : {150u, 7000u}) {
    Problem problem(n);
    const SampleTrial trial(problem.schema, problem.survey(), nullptr, problem.threads);
    EXPECT_EQ(trial.leaves_one_out(64), n == 150);
    const double good = trial.judge(features(2)).loss;
    EXPECT_LT(good, 0.5 * trial.judge(features(0.05)).loss) << n << " rows";
    EXPECT_LT(good, 0.5 * trial.judge(features(500)).loss) << n << " rows";
  }
}

TEST(SampleTrial, TriesNoOtherLambdasThanThoseGiven) {
  for (const std::size_t n : {150u, 7000u}) {
    Problem problem(n);
    const Survey survey = problem.survey();
    const auto judged = [&](std::vector<double> lambdas) {
      return SampleTrial(problem.schema, survey, nullptr, problem.threads, nullptr, std::move(lambdas))
          .judge(features(2));
    };
    const SampleTrial::Result free = judged({}), strong = judged({10}), either = judged({10, free.lambda});
    EXPECT_EQ(strong.lambda, 10) << n << " rows";
    EXPECT_GT(strong.loss, free.loss) << n << " rows";
    EXPECT_EQ(either.lambda, free.lambda) << n << " rows";
    EXPECT_EQ(either.loss, free.loss) << n << " rows";
  }
}

TEST(SampleTrial, IsTheSameForAnyThreads) {
  for (const std::size_t n : {150u, 7000u}) {
    Problem problem(n);
    const Survey survey = problem.survey();
    const auto judged = [&](int threads) {
      Threads team(threads);
      const SampleTrial::Result found = SampleTrial(problem.schema, survey, nullptr, team).judge(features(2));
      return std::pair(found.loss, found.lambda);
    };
    EXPECT_EQ(judged(1), judged(3)) << n << " rows";
  }
}

TEST(SampleTrial, FitsTheSampledRows) {
  Problem problem(300);
  const SampleTrial trial(problem.schema, problem.survey(), nullptr, problem.threads);
  ASSERT_EQ(trial.rows(), 300u);
  const SampleTrial::Fit fit = trial.fit(features(2), 1e-6);
  ASSERT_EQ(fit.features.rows(), 300u);
  // The target of an input row is known, so that the order of the sample does not matter; codes are of half the range.
  double low = problem.y(0, 0), high = low;
  for (std::size_t i = 0; i < 300; ++i) {
    low = std::min(low, problem.y(i, 0));
    high = std::max(high, problem.y(i, 0));
  }
  double squares = 0, about_mean = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    const double x0 = trial.inputs()(i, 0), x1 = trial.inputs()(i, 1);
    const double y = (std::sin(2 * x0) + x1 * x1 - 0.5 * (low + high)) / (0.5 * (high - low));
    double f = fit.head.intercept[0];
    for (std::size_t j = 0; j < fit.features.cols(); ++j) f += double(fit.features(i, j)) * fit.head.weights(j, 0);
    squares += (y - f) * (y - f);
    about_mean += y * y;
  }
  EXPECT_LT(squares, 0.05 * about_mean);
}

}  // namespace
}  // namespace bochner
