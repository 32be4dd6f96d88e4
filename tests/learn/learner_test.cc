// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bochner/error.h"
#include "bochner/model.h"
#include "bochner/rows.h"
#include "bochner/train.h"
#include "learn/fit_memory.h"
#include "learn/newton/augmented_lagrangian.h"
#include "learn/newton/newton_learner.h"
#include "learn/newton/row_space.h"
#include "learner_problem.h"
#include "random/draw.h"

namespace bochner {
namespace {

class EveryLearner : public testing::TestWithParam<int> {};

TEST_P(EveryLearner, GivesTheSameBitsForAnyThreadsAndBlocks) {
  LearnerOptions options = learner_case(GetParam());
  options.C = {};  // the choice of C as well
  options.tolerance = 1e-4;
  const LearnerProblem p = problem_for(options, 2500, 3);
  const auto rows = p.rows();
  const Model one = fit_learner(*rows, p.map(40), options, {.threads = 1});
  for (int threads : {2, 3, 7}) {
    const Model other =
        fit_learner(*rows, p.map(40), options, {.threads = threads, .block_rows = 1024 * std::size_t(threads)});
    EXPECT_EQ(one.predict(p.x.view()), other.predict(p.x.view())) << threads << " threads";
    EXPECT_EQ(one.report().notes, other.report().notes);
  }
}

// Features that do not fit into the memory are mapped anew, and nothing else changes.
TEST_P(EveryLearner, GivesTheSameBitsForAnyMemory) {
  LearnerOptions options = learner_case(GetParam());
  options.tolerance = 1e-4;
  const LearnerProblem p = problem_for(options, 3000, 3);
  const auto rows = p.rows();
  FitSize size;
  size.rows = 3000;
  size.features = 200;
  size.outputs = p.schema.labels.size() == 3 ? 3 : 1;
  size.threads = 2;
  const double least = newton_memory(size, options, 1e9).total();
  const Model plenty = fit_learner(*rows, p.map(200), options, {.threads = 2});
  for (const double kept : {0.0, 1.2e6}) {
    const Execution little{.threads = 2, .memory = std::size_t(least + kept)};
    EXPECT_EQ(plenty.predict(p.x.view()), fit_learner(*rows, p.map(200), options, little).predict(p.x.view())) << kept;
  }
}

TEST_P(EveryLearner, CountsAWeightAsRepeatedRows) {
  LearnerOptions options = learner_case(GetParam());
  options.tolerance = 1e-12;
  const LearnerProblem p = problem_for(options, 300, 3);
  LearnerProblem twice = p, weighted = p;
  const std::size_t repeated = 100;
  twice.x = Matrix<float>(400, 4);
  twice.y = Matrix<double>(400, 1);
  for (std::size_t i = 0; i < 400; ++i) {
    const std::size_t from = i < 300 ? i : i - 300;
    std::copy_n(&p.x(from, 0), 4, &twice.x(i, 0));
    twice.y(i, 0) = p.y(from, 0);
  }
  for (std::size_t i = 0; i < repeated; ++i) weighted.weights[i] = 2;
  const Model a = fit_learner(*twice.rows(), p.map(30), options),
              b = fit_learner(*weighted.rows(true), p.map(30), options);
  const Matrix<double> ua = a.predict(p.x.view()), ub = b.predict(p.x.view());
  for (std::size_t i = 0; i < ua.rows(); ++i)
    for (std::size_t k = 0; k < ua.cols(); ++k) EXPECT_NEAR(ua(i, k), ub(i, k), 1e-4 * (1 + std::abs(ua(i, k))));
}

// The space that few rows span holds the solution of many features.
TEST_P(EveryLearner, SolvesFewRowsOfManyFeaturesInTheirSpace) {
  LearnerOptions options = learner_case(GetParam());
  options.tolerance = 1e-10;
  for (const bool intercept : {false, true}) {
    options.intercept = intercept;
    LearnerProblem p = problem_for(options, 40, 3);
    std::copy_n(&p.x(1, 0), 4, &p.x(2, 0));  // equal rows
    Threads threads(2);
    const KeptFeatures all(p, 120, intercept, threads);
    NewtonLearner primal(all.z, p.schema, options);
    const NewtonLearner::Solution expected = primal.solve(3.0, 1e-10);
    const DenseRows dense = all.store.dense();
    const RowSpace space(dense, threads);
    const std::unique_ptr<Rows> coordinates = space.rows(p.schema);
    FeatureStore store(Stream(*coordinates, nullptr, threads, {}, Precision::float64), 40, 1 << 20);
    const DenseDesign inside(store, intercept);
    EXPECT_LE(inside.features(), 39u);
    NewtonLearner few(inside, p.schema, options);
    const NewtonLearner::Solution found = few.solve(3.0, 1e-10);
    EXPECT_TRUE(found.converged);
    EXPECT_NEAR(found.objective, expected.objective, 1e-8 * expected.objective);
    const Coefficients head = space.expand(few.head(), threads), direct = primal.head();
    double most = 0;
    for (std::size_t j = 0; j < 120; ++j) most = std::max(most, std::abs(direct.weights(j, 0)));
    for (std::size_t j = 0; j < 120; ++j)
      for (std::size_t k = 0; k < head.weights.cols(); ++k)
        EXPECT_NEAR(head.weights(j, k), direct.weights(j, k), 1e-3 * most);
  }
}

TEST_P(EveryLearner, EndsWhereNoStepImproves) {
  LearnerOptions options = learner_case(GetParam());
  for (bool intercept : {false, true}) {
    options.intercept = intercept;
    const LearnerProblem p = problem_for(options, 400, 3);
    Threads threads(2);
    const KeptFeatures features(p, 30, intercept, threads);
    const DenseDesign& z = features.z;
    NewtonLearner primal(z, p.schema, options);
    const NewtonLearner::Solution solution = primal.solve(3.0, 1e-8);
    Matrix<double> rows(z.rows(), 30 + std::size_t(intercept));
    std::vector<std::size_t> all(z.rows());
    std::iota(all.begin(), all.end(), std::size_t(0));
    z.each_row(all,
               [&](std::size_t i, std::span<const double> row) { std::copy(row.begin(), row.end(), &rows(i, 0)); });
    EXPECT_TRUE(solution.converged);
    EXPECT_LE(solution.excess, 1e-8 * solution.objective);

    // The objective from its definition, about the solution.
    const Coefficients head = primal.head();
    const auto objective = [&](const Coefficients& at) {
      double sum = 0;
      std::vector<double> u(at.weights.cols());
      for (std::size_t j = 0; j < at.weights.rows(); ++j)
        for (std::size_t k = 0; k < u.size(); ++k) sum += 0.5 * at.weights(j, k) * at.weights(j, k);
      for (std::size_t i = 0; i < z.rows(); ++i) {
        const double t = p.y(i, 0);
        double loss = 0, exps = 0;
        for (std::size_t k = 0; k < u.size(); ++k) {
          u[k] = at.intercept[k];
          for (std::size_t j = 0; j < at.weights.rows(); ++j) u[k] += rows(i, j) * at.weights(j, k);
          const double y = t == double(k) ? 1 : -1, v = std::max(0.0, 1 - y * u[k]), r = t - u[k];
          const double e = std::max(0.0, std::abs(r) - 0.5);
          const bool squared = options.loss == MarginLoss::squared;
          if (options.learner == Learner::svm) loss += squared ? v * v : v;
          if (options.learner == Learner::svr) loss += squared ? e * e : e;
          if (options.learner == Learner::huber) loss += std::abs(r) <= 2 ? r * r / 2 : 2 * (std::abs(r) - 1);
          if (options.learner == Learner::quantile) loss += std::max(0.8 * r, -0.2 * r);
          exps += std::exp(u[k]);
        }
        if (options.learner == Learner::logistic) loss = std::log(exps) - u[std::size_t(t)];
        sum += 3.0 * loss;
      }
      return sum;
    };
    const double best = objective(head);
    EXPECT_NEAR(best, solution.objective, 1e-8 * best);
    for (std::uint64_t trial = 0; trial < 20; ++trial) {
      Coefficients moved = head;
      for (std::size_t k = 0; k < head.weights.cols(); ++k) {
        for (std::size_t j = 0; j < 30; ++j) moved.weights(j, k) += 1e-2 * normal(9, Draw::candidate, trial, j, k);
        if (intercept) moved.intercept[k] += 1e-2 * normal(9, Draw::candidate, trial, 99, k);
      }
      EXPECT_GE(objective(moved), best * (1 - 1e-8));
    }
  }
}

std::string case_name(const testing::TestParamInfo<int>& info) {
  const char* names[] = {"hinge", "squared_hinge", "logistic", "huber", "tube", "squared_tube", "quantile"};
  return names[info.param];
}
INSTANTIATE_TEST_SUITE_P(Learners, EveryLearner, testing::Range(0, 7), case_name);

TEST(AugmentedLagrangian, PrimalAndDualMeet) {
  const LearnerProblem p(600, 4, 2, 1.0);
  Threads threads(2);
  for (bool intercept : {false, true}) {
    const KeptFeatures features(p, 50, intercept, threads);
    const DenseDesign& z = features.z;
    Examples e{Matrix<double>(600, 1), std::vector<double>(600, 2.0)};
    for (std::size_t i = 0; i < 600; ++i) e.y(i, 0) = i % 2 ? 1 : -1;
    Newton newton(z, 1);
    Iterate at{Matrix<double>(1, z.length()), Matrix<double>(600, 1)};
    Multipliers m;
    const DualitySolution s = AugmentedLagrangian(newton, z, e, {learner_row(Learner::svm)}).solve(1e-9, 500, at, m);
    ASSERT_TRUE(s.converged);
    EXPECT_LE(s.primal[0] - s.dual[0], 1e-9 * s.primal[0]);
    EXPECT_GE(s.primal[0] - s.dual[0], -1e-12 * s.primal[0]);
    double sum = 0;
    for (std::size_t i = 0; i < 600; ++i) {  // KKT: which multipliers are at their bounds
      const double alpha = e.y(i, 0) * m.a(i, 0), margin = e.y(i, 0) * at.u(i, 0);
      sum += m.a(i, 0);
      EXPECT_GE(alpha, 0);
      EXPECT_LE(alpha, 2);
      if (margin > 1 + 1e-3) {
        EXPECT_EQ(alpha, 0);
      }
      if (margin < 1 - 1e-3) {
        EXPECT_EQ(alpha, 2);
      }
    }
    if (intercept) {
      EXPECT_NEAR(sum, 0, 1e-3);
    }
  }
}

TEST(HardSvm, FindsTheWidestMarginInThePlane) {
  // The margin between (0, +-1) and (3, +-1) and others behind them is the line x = 1.5.
  LearnerProblem p(6, 2, 2, 1.0);
  const float points[6][2] = {{0, 1}, {3, 1}, {0, -1}, {3, -1}, {-2, 5}, {7, 2}};
  for (std::size_t i = 0; i < 6; ++i) std::copy_n(points[i], 2, &p.x(i, 0));
  LearnerOptions options{.learner = Learner::hard_svm};
  options.tolerance = 1e-10;
  const Model model = fit_learner(*p.rows(), scaling(std::vector<ColumnScaling>(2)), options);
  const Matrix<double> u = model.predict(p.x.view());
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(u(i, 0), i % 2 ? 1 : -1, 1e-5);
  Matrix<float> middle(1, 2);
  middle(0, 0) = 1.5f;
  EXPECT_NEAR(model.predict(middle.view())(0, 0), 0, 1e-5);
}

TEST(HardSvm, EqualsALargeSoftMargin) {
  const LearnerProblem p(200, 3, 3, 0.3);
  LearnerOptions hard{.learner = Learner::hard_svm}, soft{.learner = Learner::svm, .C = {1e7}};
  hard.tolerance = soft.tolerance = 1e-9;
  const Matrix<double> a = fit_learner(*p.rows(), p.map(100), hard).predict(p.x.view());
  const Matrix<double> b = fit_learner(*p.rows(), p.map(100), soft).predict(p.x.view());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t k = 0; k < a.cols(); ++k) {
      EXPECT_NEAR(a(i, k), b(i, k), 1e-3);
      EXPECT_GE(a(i, k) * (i % 3 == k ? 1 : -1), 1 - 1e-4);
    }
}

TEST(HardSvm, RefusesRowsItCannotSeparate) {
  const LearnerProblem p(500, 2, 2, 3.0);
  try {
    fit_learner(*p.rows(), p.map(10), LearnerOptions{.learner = Learner::hard_svm});
    FAIL() << "overlapping classes were separated";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("soft margin"), std::string::npos) << e.what();
  }
}

TEST(Logistic, ProbabilitiesSumToOneAndMeetTheirFrequencies) {
  for (std::size_t classes : {2, 4}) {
    const LearnerProblem p(3000, 3, classes, 1.0);
    const Model model = fit_learner(*p.rows(), p.map(60), LearnerOptions{.learner = Learner::logistic, .C = {1.0}});
    const Matrix<double> u = model.predict(p.x.view());
    std::vector<double> mean(classes);
    for (std::size_t i = 0; i < u.rows(); ++i) {
      const std::vector<double> probabilities = model.probabilities(&u(i, 0));
      ASSERT_EQ(probabilities.size(), classes);
      EXPECT_NEAR(std::accumulate(probabilities.begin(), probabilities.end(), 0.0), 1, 1e-12);
      const auto best = std::max_element(probabilities.begin(), probabilities.end()) - probabilities.begin();
      EXPECT_EQ(model.label(&u(i, 0)), p.schema.labels[std::size_t(best)]);
      for (std::size_t c = 0; c < classes; ++c) mean[c] += probabilities[c] / 3000;
    }
    // The mean probability of a class over training is its share if there is an intercept, to the solver's precision.
    for (double share : mean) EXPECT_NEAR(share, 1.0 / double(classes), 1e-3);
  }
}

TEST(Logistic, OnlyItHasProbabilities) {
  const LearnerProblem p(200, 3, 2, 1.0);
  const Model model = fit_learner(*p.rows(), p.map(20), LearnerOptions{.learner = Learner::svm, .C = {1.0}});
  const double score = 0.3;
  EXPECT_FALSE(model.has_probabilities());
  EXPECT_THROW(model.probabilities(&score), std::invalid_argument);
}

TEST(Huber, IsNotMovedByOutliers) {
  const LearnerProblem p(2000, 2, 0, 1.0);  // one row in fifty is off by 100
  const Model robust = fit_learner(*p.rows(), p.map(60), LearnerOptions{.learner = Learner::huber, .C = {10.0}});
  const Model squares = fit(*p.rows(), p.map(60), RidgeOptions{.lambdas = {1e-4}});
  const Matrix<double> a = robust.predict(p.x.view()), b = squares.predict(p.x.view());
  double robust_bias = 0, squares_bias = 0;
  for (std::size_t i = 0; i < 2000; ++i) {
    const double truth = p.y(i, 0) - (i % 50 == 0 ? 100 : 0);
    robust_bias += (a(i, 0) - truth) / 2000;
    squares_bias += (b(i, 0) - truth) / 2000;
  }
  EXPECT_GT(squares_bias, 1.5);
  EXPECT_LT(std::abs(robust_bias), 0.3);
}

TEST(Learners, HaveARowEach) {
  for (const Learner learner : {Learner::ridge, Learner::svm, Learner::hard_svm, Learner::logistic, Learner::huber,
                                Learner::svr, Learner::quantile, Learner::knn}) {
    const LearnerRow& row = learner_row(learner);
    EXPECT_EQ(row.learner, learner);
    EXPECT_EQ(find_learner(row.name), &row);
    EXPECT_EQ(std::string(row.no_parts).empty(), learner == Learner::ridge);  // the one that is a sum
  }
  EXPECT_GE(learners().size(), 8u);
  EXPECT_EQ(find_learner("forest"), nullptr);
}

// Errors whose spread grows with the input: the quantiles are no shifts of each other.
TEST(Quantile, HasTheShareOfTargetsBelowThatItIsAskedFor) {
  LearnerProblem p(6000, 1, 0, 1.0);
  for (std::size_t i = 0; i < 6000; ++i) {
    const double x = uniform(1, Draw::frequency, i), error = normal(2, Draw::frequency, i);
    p.x(i, 0) = float(x);
    p.y(i, 0) = 1e6 * (x + (0.1 + x) * error);
  }
  for (const double level : {0.05, 0.5, 0.9})
    for (const std::vector<double>& C : {std::vector<double>{}, {3e6}}) {
      const Model model =
          fit_learner(*p.rows(), p.map(40), LearnerOptions{.learner = Learner::quantile, .C = C, .parameter = level});
      const Matrix<double> answers = model.predict(p.x.view());
      double below = 0, low = 0, lows = 0;
      for (std::size_t i = 0; i < 6000; ++i) {
        const bool is_below = p.y(i, 0) <= answers(i, 0), is_low = p.x(i, 0) < 0.3f;
        below += is_below ? 1.0 / 6000 : 0;
        lows += is_low;
        low += is_low && is_below;
      }
      EXPECT_NEAR(below, level, 0.01) << level;
      // A penalty, as the search likes it, flattens the answers; without one the share is right at every input.
      if (!C.empty()) {
        EXPECT_NEAR(low / lows, level, 0.03) << level;
      }
    }
}

// A stranger's loss with a parameter: log(cosh(r / s)) s^2, by the same Newton steps.
TEST(Learners, TakeALossFromOutside) {
  const LearnerRow row = {
      .name = "log-cosh",
      .task = Task::regression,
      .has_C = true,
      .parameter = LossParameter{.name = "width",
                                 .meaning = "errors beyond it count as lines",
                                 .low = 0,
                                 .high = 1e9,
                                 .initial = 1,
                                 .is_of_target = true},
      .curve = [](const LossPoint& at) -> LossCurve {
        const double s = at.parameter, r = (at.score - at.target) / s, t = std::tanh(r);
        return {at.cost * s * s * (std::abs(r) + std::log1p(std::exp(-2 * std::abs(r))) - std::log(2.0)),
                at.cost * s * t, at.cost * (1 - t * t)};
      }};
  const Learner learner = register_learner(row);
  EXPECT_EQ(find_learner("log-cosh")->learner, learner);
  EXPECT_EQ(learners().back().learner, learner);
  EXPECT_THROW(register_learner(row), std::invalid_argument);  // its name is taken
  LearnerRow twofold = row;
  twofold.name = "twofold";
  twofold.lines = [](double) { return LossLines(); };
  EXPECT_THROW(register_learner(twofold), std::invalid_argument);
  EXPECT_THROW(learner_row(Learner(1000)), std::invalid_argument);

  const LearnerProblem p(500, 3, 0, 1.0);
  const auto answers = [&](const LearnerOptions& options) {
    return fit_learner(*p.rows(), p.map(30), options).predict(p.x.view());
  };
  // Very wide, it is the square; very narrow, the median's.
  const Matrix<double> wide = answers({.learner = learner, .C = {1.0}, .parameter = 1e5});
  const Matrix<double> squares = answers({.learner = Learner::huber, .C = {1.0}, .parameter = 1e5});
  const Matrix<double> narrow = answers({.learner = learner, .C = {1e3}, .parameter = 1e-3});
  const Matrix<double> median = answers({.learner = Learner::svr, .C = {1.0}, .parameter = 0.0});
  for (std::size_t i = 0; i < 500; ++i) {
    EXPECT_NEAR(wide(i, 0), squares(i, 0), 1e-4);
    EXPECT_NEAR(narrow(i, 0), median(i, 0), 0.05);
  }
  EXPECT_THROW(answers({.learner = learner, .parameter = -1}), std::invalid_argument);
}

TEST(Learner, LambdaIsOneOverCTimesN) {
  const LearnerProblem p(500, 3, 2, 1.0);
  LearnerOptions by_C{.learner = Learner::logistic, .C = {2.0}}, by_lambda{.learner = Learner::logistic};
  by_lambda.lambdas = {1.0 / (2.0 * 500)};
  const Model a = fit_learner(*p.rows(), p.map(20), by_C), b = fit_learner(*p.rows(), p.map(20), by_lambda);
  EXPECT_EQ(a.predict(p.x.view()), b.predict(p.x.view()));
  EXPECT_DOUBLE_EQ(a.report().lambda, by_lambda.lambdas[0]);
}

TEST(Learner, RefusesTargetsOfTheWrongKind) {
  const LearnerProblem classes(100, 2, 2, 1.0), numbers(100, 2, 0, 1.0);
  EXPECT_THROW(fit_learner(*classes.rows(), classes.map(10), LearnerOptions{.learner = Learner::svr}),
               std::invalid_argument);
  EXPECT_THROW(fit_learner(*numbers.rows(), numbers.map(10), LearnerOptions{.learner = Learner::svm}),
               std::invalid_argument);
}

// Labels that are nearly chance: the error hardly sees C, the probabilities do.
TEST(Logistic, ChoosesCByItsProbabilities) {
  const auto draw = [](std::size_t n, std::uint64_t seed) {
    LearnerProblem p(n, 2, 2, 1.0, seed);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < 2; ++j) p.x(i, j) = float(normal(seed, Draw::sample, i, j));
      const double score = std::sin(2 * double(p.x(i, 0))) + 0.5 * double(p.x(i, 1));
      p.y(i, 0) = uniform(seed, Draw::holdout, i) < 1 / (1 + std::exp(-score)) ? 1 : 0;
    }
    return p;
  };
  const LearnerProblem fresh = draw(2000, 100);
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const LearnerProblem p = draw(600, seed);
    const auto log_loss = [&](std::vector<double> C) {
      const LearnerOptions options{.learner = Learner::logistic, .C = std::move(C), .tolerance = 1e-4};
      const Matrix<double> u = fit_learner(*p.rows(), p.map(200), options).predict(fresh.x.view());
      double sum = 0;
      for (std::size_t i = 0; i < u.rows(); ++i) sum += std::log1p(std::exp(fresh.y(i, 0) > 0 ? -u(i, 0) : u(i, 0)));
      return sum / double(u.rows());
    };
    double least = 1;
    for (const double C : {0.01, 0.1, 1.0, 10.0, 100.0}) least = std::min(least, log_loss({C}));
    EXPECT_LT(log_loss({}), 1.05 * least) << "seed " << seed;
  }
}

}  // namespace
}  // namespace bochner
