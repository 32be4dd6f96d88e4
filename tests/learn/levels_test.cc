// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Quantiles that have the shares they say on rows to come, several at once, and in order.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bochner/predictor.h"
#include "bochner/train.h"
#include "learn/learner_problem.h"
#include "learn/level_shifts.h"
#include "scratch.h"

namespace bochner {
namespace {

using ::testing::Contains;
using ::testing::Not;
using ::testing::StartsWith;

const std::vector<double> kLevels = {0.05, 0.5, 0.95};

// Residuals of n rows uniform in (0, 1): an order statistic of place k has the mean k / (n + 1).
TEST(LevelShifts, CoverOnTheMeanWhatTheySay) {
  for (const std::size_t n : {3u, 25u, 100u})
    for (const double level : {0.3, 0.5, 0.9}) {
      double covered = 0;
      const std::size_t draws = 4000;
      for (std::size_t d = 0; d < draws; ++d) {
        LevelShifts shifts({level});
        const double answer = 7;
        for (std::size_t i = 0; i < n; ++i) {
          const double target = answer + uniform(n, Draw::shift, d, i);
          shifts.add(&answer, &target, 2);
        }
        covered += shifts.shifts()[0] / double(draws);
      }
      const double most = double(n) / double(n + 1);
      EXPECT_NEAR(covered, std::min(level, most), 4 * 0.3 / std::sqrt(double(draws * n))) << n << " " << level;
    }
}

TEST(LevelShifts, CountRowsByTheirWeights) {
  LevelShifts weighted({0.5}), twice({0.5});
  const double answer = 0;
  for (const double target : {1.0, 2.0, 3.0, 4.0}) {
    weighted.add(&answer, &target, target > 2 ? 2 : 1);
    for (int k = 0; k < (target > 2 ? 2 : 1); ++k) twice.add(&answer, &target, 1);
  }
  EXPECT_NEAR(weighted.shifts()[0], twice.shifts()[0], 0.5);
  EXPECT_DOUBLE_EQ(weighted.below()[0], 0);
  const double zero = 0;
  weighted.add(&answer, &zero, 0);
  EXPECT_DOUBLE_EQ(weighted.below()[0], 0);  // a row of no weight
}

// Few rows of many features, which the fit itself knows by heart.
LearnerProblem spread(std::size_t n, std::uint64_t seed) {
  LearnerProblem p(n, 2, 0, 1.0, seed);
  for (std::size_t i = 0; i < n; ++i)
    p.y(i, 0) = 1e9 + double(p.x(i, 0)) + (0.2 + std::abs(double(p.x(i, 1)))) * normal(seed, Draw::frequency, i);
  return p;
}

TEST(Quantiles, CoverRowsToComeAlsoWhereTheFitKnowsItsOwnByHeart) {
  const LearnerProblem fresh = spread(4000, 99);
  std::vector<double> covered(kLevels.size());
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const LearnerProblem p = spread(200, seed);
    const Model model =
        fit_learner(*p.rows(), p.map(60), {.learner = Learner::quantile, .C = {10, 11}, .levels = kLevels});
    const Evaluation found = model.examine(*fresh.rows());
    ASSERT_EQ(found.levels.size(), kLevels.size());
    for (std::size_t k = 0; k < kLevels.size(); ++k) covered[k] += found.levels[k].below / 5;
  }
  for (std::size_t k = 0; k < kLevels.size(); ++k) EXPECT_NEAR(covered[k], kLevels[k], 0.03) << kLevels[k];
}

TEST(Quantiles, OfOneRowNeverCross) {
  const LearnerProblem p = spread(150, 3), fresh = spread(2000, 4);
  const std::vector<double> close = {0.4, 0.45, 0.5, 0.55};
  const Model model =
      train(*p.rows(), {.features = 100, .learner = {.learner = Learner::quantile, .C = {100}, .levels = close}});
  EXPECT_EQ(model.puts_out().kind, Outputs::Kind::quantiles);
  EXPECT_EQ(model.puts_out().names[1], "quantile0.45");
  const Matrix<double> answers = model.predict(fresh.x.view());
  for (std::size_t i = 0; i < answers.rows(); ++i)
    for (std::size_t k = 1; k < close.size(); ++k) EXPECT_LE(answers(i, k - 1), answers(i, k));
  EXPECT_LT(std::abs(answers(0, 1) - 1e9), 100);  // far from zero
  const testing_files::Scratch scratch;
  model.save(scratch.path("model"));
  const Model loaded = Model::load(scratch.path("model"));
  EXPECT_EQ(loaded.predict(fresh.x.view()), answers);
  std::vector<double> one(close.size());
  Predictor(loaded).predict(std::span<const float>(&fresh.x(0, 0), 2), one);
  for (std::size_t k = 0; k < close.size(); ++k) EXPECT_EQ(one[k], answers(0, k));
}

TEST(Quantiles, WithoutAnInterceptAreNotMoved) {
  const LearnerProblem p = spread(100, 5);
  const LearnerOptions options{.learner = Learner::quantile, .C = {1, 2}, .levels = kLevels, .intercept = false};
  const Model model = fit_learner(*p.rows(), p.map(10), options);
  EXPECT_THAT(model.report().notes, Contains(StartsWith("not corrected: ")));
  EXPECT_THAT(model.report().notes, Not(Contains(StartsWith("corrected: "))));
}

TEST(Quantiles, AreNotJudgedByTheMean) {
  const LearnerProblem p = spread(100, 6);
  const Model model = train(*p.rows(), {.features = 10, .learner = {.learner = Learner::quantile, .parameter = 0.999}});
  ASSERT_NE(model.report().score->warning(), "");
  EXPECT_THAT(model.report().notes, Not(Contains(StartsWith("warning: no"))));
}

TEST(Quantiles, OfSeveralLevelsAreCheckedAtTheDoor) {
  const LearnerProblem p = spread(60, 1);
  const auto refused = [&](const LearnerOptions& options) {
    EXPECT_THROW(fit_learner(*p.rows(), p.map(10), options), std::invalid_argument);
  };
  refused({.learner = Learner::quantile, .levels = {0.5, 0.4}});
  refused({.learner = Learner::quantile, .levels = {0.0, 0.4}});
  refused({.learner = Learner::quantile, .parameter = 0.5, .levels = {0.2, 0.4}});
  refused({.learner = Learner::huber, .levels = {0.2, 0.4}});
}

}  // namespace
}  // namespace bochner
