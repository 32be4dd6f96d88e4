// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Counts and amounts: losses about exp(score), and what is made of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "bochner/map_options.h"
#include "bochner/predictor.h"
#include "bochner/train.h"
#include "bochner/transform.h"
#include "learn/choice.h"
#include "learn/learner_problem.h"
#include "learn/newton/newton_learner.h"
#include "learn/tweedie.h"
#include "scratch.h"

namespace bochner {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr Learner kLaws[] = {Learner::poisson, Learner::gamma, Learner::tweedie};

// Rates that grow as exp(sin(2 x)), times a Gamma variable; whole: counts of Poisson's law with these rates.
LearnerProblem amounts(std::size_t n, bool whole) {
  LearnerProblem p(n, 1, 0, 1.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double rate = 3 * std::exp(std::sin(2 * double(p.x(i, 0))));
    p.y(i, 0) = -rate * std::log(uniform(4, Draw::shift, i));  // exponential
    if (!whole) continue;
    double product = uniform(5, Draw::shift, i, 0), least = std::exp(-rate);
    for (p.y(i, 0) = 0; product > least; ++p.y(i, 0)) product *= uniform(5, Draw::shift, i, std::size_t(p.y(i, 0)) + 1);
  }
  return p;
}

double power_of(Learner law) { return law == Learner::poisson ? 1 : law == Learner::gamma ? 2 : 1.5; }

TEST(Tweedie, HasTheDerivativesOfItsValue) {
  for (const Learner law : kLaws)
    for (const double score : {-60.0, -3.0, 0.2, 4.0, 70.0}) {
      const double h = 1e-4;
      const auto at = [&](double u) { return learner_row(law).curve({2, 1.7, u, 1.5}); };
      const LossCurve here = at(score), above = at(score + h), below = at(score - h);
      EXPECT_NEAR((above.value - below.value) / (2 * h), here.slope, 1e-6 * (1 + std::abs(here.slope)));
      EXPECT_NEAR((above.slope - below.slope) / (2 * h), here.curvature, 1e-5 * (1 + here.curvature));
      EXPECT_GE(here.value, 0);
    }
  EXPECT_EQ(half_deviance(0, 2, 1), 2);
  for (const double p : {1.0, 1.5}) EXPECT_EQ(half_deviance(0, 0, p), 0);
  for (const double p : {1.0, 1.3, 2.0}) EXPECT_NEAR(half_deviance(2.5, 2.5, p), 0, 1e-14);
  EXPECT_NEAR(half_deviance(3, 2, 1 + 1e-6), half_deviance(3, 2, 1), 1e-5);  // the laws between meet both ends
  EXPECT_NEAR(half_deviance(3, 2, 2 - 1e-6), half_deviance(3, 2, 2), 1e-5);
}

TEST(Counts, AreLearntToTheMinimumOfTheirObjective) {
  const LearnerProblem p = amounts(400, false);
  Threads threads(1);
  for (const bool intercept : {true, false})
    for (const Learner law : kLaws) {
      const KeptFeatures features(p, 20, intercept, threads);
      const DenseDesign& z = features.z;
      NewtonLearner learner(z, p.schema, {.learner = law, .intercept = intercept});
      const NewtonLearner::Solution solution = learner.solve(3.0, 1e-9);
      EXPECT_TRUE(solution.converged);
      Matrix<double> rows(400, 20 + std::size_t(intercept));
      std::vector<std::size_t> all(400);
      std::iota(all.begin(), all.end(), std::size_t(0));
      z.each_row(all,
                 [&](std::size_t i, std::span<const double> row) { std::copy(row.begin(), row.end(), &rows(i, 0)); });
      const double unit = learner.units()[0];
      const auto objective = [&](const Coefficients& at) {
        double sum = 0;
        for (std::size_t j = 0; j < 20; ++j) sum += at.weights(j, 0) * at.weights(j, 0) / 2;
        for (std::size_t i = 0; i < 400; ++i) {
          double u = at.intercept[0];
          for (std::size_t j = 0; j < 20; ++j) u += rows(i, j) * at.weights(j, 0);
          sum += 3 * half_deviance(p.y(i, 0) / unit, std::exp(u) / unit, power_of(law));
        }
        return sum;
      };
      const Coefficients head = learner.head();
      const double best = objective(head);
      EXPECT_NEAR(best, solution.objective, 1e-8 * best);
      for (std::uint64_t trial = 0; trial < 10; ++trial) {
        Coefficients moved = head;
        for (std::size_t j = 0; j < 20; ++j) moved.weights(j, 0) += 1e-2 * normal(9, Draw::candidate, trial, j);
        if (intercept) moved.intercept[0] += 1e-2 * normal(9, Draw::candidate, trial, 99);
        EXPECT_GE(objective(moved), best * (1 - 1e-8));
      }
    }
}

TEST(Counts, AreTheirMeanWhereNothingIsKnownOfThem) {
  LearnerProblem p = amounts(300, true);
  double mean = 0;
  for (std::size_t i = 0; i < 300; ++i) mean += (p.y(i, 0) += 1) / 300;
  for (const Learner law : kLaws) {
    const Model model = fit_learner(*p.rows(), p.map(10), {.learner = law, .C = {1e-9}});
    EXPECT_NEAR(model.predict(p.x.view())(0, 0), mean, 1e-5 * mean);
  }
}

// As many rows as the law has variance err: the deviance of Poisson's counts about their rates is about 1.
TEST(Counts, HaveTheRatesThatMadeThem) {
  const LearnerProblem p = amounts(3000, true), fresh = amounts(6000, true);
  const Model model = fit_learner(*p.rows(), p.map(60), {.learner = Learner::poisson});
  ASSERT_TRUE(model.report().score);
  const Score score = model.evaluate(*fresh.rows());
  ASSERT_TRUE(score.deviance && score.baseline_deviance);
  EXPECT_NEAR(*score.deviance, 1.05, 0.12);
  EXPECT_GT(*score.baseline_deviance, 1.5 * *score.deviance);
  EXPECT_THAT(score.text(), HasSubstr("deviance"));
  const Matrix<double> rates = model.predict(p.x.view());
  double worst = 0;
  for (std::size_t i = 0; i < 3000; ++i) {
    const double x = p.x(i, 0);
    if (std::abs(x) < 1.5) worst = std::max(worst, std::abs(std::log(rates(i, 0) / 3) - std::sin(2 * x)));
  }
  EXPECT_LT(worst, 0.25);
}

TEST(Counts, GrowWithTheUnitOfTheTarget) {
  LearnerProblem p = amounts(300, false);
  for (const Learner law : kLaws) {
    const Matrix<double> answers = fit_learner(*p.rows(), p.map(20), {.learner = law}).predict(p.x.view());
    LearnerProblem far = p;
    for (std::size_t i = 0; i < 300; ++i) far.y(i, 0) *= 1e6;
    const Matrix<double> large = fit_learner(*far.rows(), p.map(20), {.learner = law}).predict(p.x.view());
    for (std::size_t i = 0; i < 300; ++i) EXPECT_NEAR(large(i, 0), 1e6 * answers(i, 0), 1e-4 * large(i, 0));
  }
}

// Bins, CSR, mixtures, dense features; saved and loaded; one row at a time.
TEST(Counts, AreLearntOnEveryMap) {
  const LearnerProblem p = amounts(300, true);
  const testing_files::Scratch scratch;
  for (const char* map : {"fourier", "binning", "fourier:features=32+binning:features=10", "nystroem", "none"}) {
    TrainOptions options{
        .map = parse_map_options(map), .features = 30, .learner = {.learner = Learner::poisson, .C = {1}}};
    if (std::string(map).find('+') != std::string::npos) options.kernel = laplacian();
    const Model model = train(*p.rows(), options);
    const Matrix<double> answers = model.predict(p.x.view());
    model.save(scratch.path("model"));
    const Model loaded = Model::load(scratch.path("model"));
    EXPECT_EQ(loaded.predict(p.x.view()), answers) << map;
    EXPECT_EQ(loaded.evaluate(*p.rows()).deviance, model.evaluate(*p.rows()).deviance);
    EXPECT_GT(answers(0, 0), 0);
    const Predictor predictor(loaded);
    double one = 0;
    predictor.predict(std::span<const float>(&p.x(0, 0), 1), std::span<double>(&one, 1));
    EXPECT_EQ(one, answers(0, 0)) << map;
    if (std::string(map) == "fourier") {
      EXPECT_EQ(loaded.transform_map()->outputs(), 30u);
    }
  }
}

TEST(Counts, BelowZeroAreRefused) {
  LearnerProblem p = amounts(50, true);
  p.y(7, 0) = 0;
  EXPECT_NO_THROW(fit_learner(*p.rows(), p.map(10), {.learner = Learner::poisson, .C = {1}}));
  EXPECT_THROW(fit_learner(*p.rows(), p.map(10), {.learner = Learner::gamma, .C = {1}}), Error);
  p.y(7, 0) = -1;
  EXPECT_THROW(fit_learner(*p.rows(), p.map(10), {.learner = Learner::tweedie, .C = {1}}), Error);
  EXPECT_THROW(fit_learner(*p.rows(), p.map(10), {.learner = Learner::tweedie, .parameter = 2.5}),
               std::invalid_argument);
  for (std::size_t i = 0; i < 50; ++i) p.y(i, 0) = 0;  // nothing ever happened
  const Matrix<double> none = fit_learner(*p.rows(), p.map(10), {.learner = Learner::poisson}).predict(p.x.view());
  for (std::size_t i = 0; i < 50; ++i) EXPECT_LT(none(i, 0), 1e-3);
}

// The first step without an intercept is as long as the counts are large: its slope grows by many powers of e.
TEST(Counts, FarFromOneAreLearntWithoutAnIntercept) {
  LearnerProblem p = amounts(400, false);
  Threads threads(1);
  for (const double scale : {10.0, 100.0, 1000.0}) {
    for (std::size_t i = 0; i < 400; ++i) p.y(i, 0) *= 10;
    const KeptFeatures features(p, 20, false, threads);
    for (const Learner law : {Learner::poisson, Learner::tweedie}) {
      NewtonLearner learner(features.z, p.schema, {.learner = law, .intercept = false});
      EXPECT_TRUE(learner.solve(1.0, 1e-6).converged) << scale << " " << learner_row(law).name;
    }
  }
}

TEST(Counts, OfWeightZeroMayBeAnything) {
  ChoiceOfC choice(Task::regression, {2.0}, {learner_row(Learner::poisson)});
  const double answer = 1.5, three = 3, below = -1;
  choice.add(&answer, &three, 1);
  const double loss = choice.loss(), deviance = *choice.score().deviance;
  choice.add(&answer, &below, 0);
  EXPECT_EQ(choice.loss(), loss);
  EXPECT_EQ(choice.score().deviance, deviance);
}

TEST(Counts, BelowZeroAreSaidWithTheirRow) {
  const LearnerProblem p = amounts(50, true);
  LearnerProblem wrong = p;
  wrong.y(7, 0) = -1;
  const auto told = [](const LearnerProblem& rows, const LearnerProblem& validation) {
    const std::unique_ptr<Rows> judges = validation.rows();
    TrainOptions options{.features = 10, .learner = {.learner = Learner::poisson}};
    options.validation = judges.get();
    try {
      train(*rows.rows(), options);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(told(p, p), "");
  EXPECT_THAT(told(wrong, p), StartsWith("row 7: target target0: found -1, expected 0 or more"));
  EXPECT_THAT(told(p, wrong), StartsWith("validation: row 7: target target0: found -1, expected 0 or more"));
}

TEST(Counts, HaveTheSameBytesForAnyThreads) {
  const LearnerProblem p = amounts(1500, true);
  const auto answers = [&](int threads) {
    return train(*p.rows(),
                 {.features = 40, .learner = {.learner = Learner::poisson}, .execution = {.threads = threads}})
        .predict(p.x.view());
  };
  EXPECT_EQ(answers(1), answers(3));
}

}  // namespace
}  // namespace bochner
