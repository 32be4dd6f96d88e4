// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/ridge/ridge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "backend/backend.h"
#include "base/archive.h"
#include "learn/ridge_problem.h"
#include "random/draw.h"

namespace bochner {
namespace {

using Problem = RidgeProblem<double>;

MapPtr small_map(std::size_t inputs, std::size_t features) {
  return fourier(inputs, {.kernel = gaussian(2), .features = features, .seed = 3});
}

Fitted fit_problem(const Problem& p, std::size_t features, const RidgeOptions& options, int threads = 2,
                   bool weighted = false, Precision precision = Precision::float64, std::size_t block_rows = 0) {
  Threads team(threads);
  const auto rows = p.open(weighted);
  Execution execution{.threads = threads, .block_rows = block_rows};
  const Survey survey = Stream(*rows, nullptr, team, execution, precision).fold(Survey(p.schema, 1));
  return fit_ridge(Stream(*rows, small_map(p.inputs, features), team, execution, precision), survey, options);
}

// Features of every row, for checks against the definition.
Matrix<double> features_of(const Problem& p, std::size_t features) {
  Matrix<double> z(p.rows, features);
  RowBlock<double> block;
  block.rows = p.rows;
  block.cols = block.stride = p.inputs;
  block.values = p.x.data();
  small_map(p.inputs, features)->apply(reference_backend(), block, z.view());
  return z;
}

Coefficients coefficients(const MapPtr& head) {
  Archive archive;
  head->save(archive);
  const auto shape = archive.shape("weights");
  Coefficients c{Matrix<double>(shape[0], shape[1]), archive.get<double>("intercept", {shape[1]})};
  const auto values = archive.get<double>("weights", shape);
  std::copy(values.begin(), values.end(), c.weights.data());
  return c;
}

TEST(Ridge, SolutionHasAZeroGradient) {
  // d/dw: Z^T W (Zw + b - y) + lambda n w = 0;  d/db: sum of weighted residuals = 0.
  const Problem p(700, 4, 2);
  const Matrix<double> z = features_of(p, 60);
  for (const bool weighted : {false, true})
    for (const bool intercept : {true, false}) {
      const double lambda = 1e-3;
      const Coefficients c =
          coefficients(fit_problem(p, 60, {.lambdas = {lambda}, .intercept = intercept}, 2, weighted).head);
      double n = 0;
      for (std::size_t i = 0; i < p.rows; ++i) n += weighted ? p.weights[i] : 1;
      for (std::size_t k = 0; k < 2; ++k) {
        std::vector<double> gradient(60);
        double residual_sum = 0;
        for (std::size_t i = 0; i < p.rows; ++i) {
          double r = c.intercept[k] - p.y(i, k);
          for (std::size_t j = 0; j < 60; ++j) r += z(i, j) * c.weights(j, k);
          r *= weighted ? p.weights[i] : 1;
          residual_sum += r;
          for (std::size_t j = 0; j < 60; ++j) gradient[j] += z(i, j) * r;
        }
        for (std::size_t j = 0; j < 60; ++j)
          EXPECT_NEAR(gradient[j] + lambda * n * c.weights(j, k), 0, 1e-4) << weighted << intercept;
        if (intercept) {
          EXPECT_NEAR(residual_sum, 0, 1e-4);
        } else {
          EXPECT_EQ(c.intercept[k], 0);
        }
      }
    }
}

TEST(Ridge, LeaveOneOutEqualsLeavingOneOut) {
  // Refit without each row in turn, with lambda n of the whole set, and compare the errors.
  const Problem p(60, 2);
  const std::size_t D = 10;
  const double lambda = 1e-2;
  const Fitted fitted = fit_problem(p, D, {.lambdas = {lambda}, .select = RidgeOptions::Select::leave_one_out});
  double squares = 0;
  for (std::size_t out = 0; out < p.rows; ++out) {
    Problem rest(p.rows - 1, p.inputs);
    for (std::size_t i = 0, r = 0; i < p.rows; ++i)
      if (i != out) {
        for (std::size_t j = 0; j < p.inputs; ++j) rest.x(r, j) = p.x(i, j);
        rest.y(r++, 0) = p.y(i, 0);
      }
    const double same_shift = lambda * double(p.rows) / double(rest.rows);
    const MapPtr head = fit_problem(rest, D, {.lambdas = {same_shift}}).head;
    const Coefficients c = coefficients(head);
    const Matrix<double> z = features_of(p, D);
    double prediction = c.intercept[0];
    for (std::size_t j = 0; j < D; ++j) prediction += z(out, j) * c.weights(j, 0);
    squares += (prediction - p.y(out, 0)) * (prediction - p.y(out, 0));
  }
  EXPECT_NEAR(*fitted.report.score->rmse, std::sqrt(squares / double(p.rows)), 1e-6);
}

TEST(Ridge, HeadIsTheSameToTheBitForAnyThreadsAndBlocks) {
  Problem p(3000, 5);
  p.make_classes(3);
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    const Coefficients one = coefficients(fit_problem(p, 130, {}, 1, true, precision).head);
    for (int threads : {2, 3, 7})
      for (std::size_t block : {1000, 2048}) {
        const Coefficients other = coefficients(fit_problem(p, 130, {}, threads, true, precision, block).head);
        EXPECT_EQ(one.weights, other.weights);
        EXPECT_EQ(one.intercept, other.intercept);
      }
  }
}

TEST(Ridge, WeightsEqualRepeatedRows) {
  const Problem p(300, 3);
  std::size_t repeated_rows = 0;
  for (double w : p.weights) repeated_rows += std::size_t(w);
  Problem repeated(repeated_rows, 3);
  for (std::size_t i = 0, r = 0; i < p.rows; ++i)
    for (int copy = 0; copy < int(p.weights[i]); ++copy, ++r) {
      for (std::size_t j = 0; j < 3; ++j) repeated.x(r, j) = p.x(i, j);
      repeated.y(r, 0) = p.y(i, 0);
    }
  const Coefficients a = coefficients(fit_problem(p, 20, {.lambdas = {1e-3}}, 2, true).head);
  const Coefficients b = coefficients(fit_problem(repeated, 20, {.lambdas = {1e-3}}).head);
  for (std::size_t j = 0; j < 20; ++j) EXPECT_NEAR(a.weights(j, 0), b.weights(j, 0), 1e-5);
}

TEST(Ridge, FloatFeaturesPredictAsDoubleOnesDo) {
  const Problem p(2000, 4);
  const double rmse32 = *fit_problem(p, 100, {}, 2, false, Precision::float32).report.score->rmse;
  const double rmse64 = *fit_problem(p, 100, {}, 2, false, Precision::float64).report.score->rmse;
  EXPECT_NEAR(rmse32, rmse64, 1e-3 * rmse64);
}

TEST(Ridge, HoldOutChoosesAmongTheGivenLambdas) {
  const Problem p(3000, 4);
  const Fitted fitted = fit_problem(p, 100, {.lambdas = {10, 1e-4, 1}, .select = RidgeOptions::Select::hold_out});
  EXPECT_EQ(fitted.report.lambda, 1e-4);
  EXPECT_EQ(fitted.report.path.size(), 3u);
  EXPECT_EQ(fitted.report.validation, "held out");
}

TEST(Ridge, SaysWhichFeatureFailsAndTheRemedy) {
  Problem p(50, 2);
  for (std::size_t i = 0; i < p.rows; ++i) p.x(i, 0) = p.x(i, 1) = 1;  // all rows equal: G has rank one
  try {
    fit_problem(p, 20, {.lambdas = {0}});
    FAIL() << "solved a singular system";
  } catch (const std::exception& e) {
    EXPECT_NE(std::string(e.what()).find("raise lambda"), std::string::npos) << e.what();
  }
}

// Features that hardly differ: their Gram matrix has no digits left below 1e-7 in float, and none is lost in integers.
TEST(Ridge, SumsOfWholeNumbersAreSolvedForTinyLambdas) {
  const std::size_t n = 3000, D = 150;
  Matrix<float> z(n, D);
  std::vector<double> y, weights;
  for (std::size_t i = 0; i < n; ++i) {
    const double u = normal(5, Draw::frequency, i);
    for (std::size_t j = 0; j < D; ++j) z(i, j) = float(std::cos(u + 0.01 * double(j)));
    y.push_back(std::sin(u));
    weights.push_back(i % 100 == 0 ? 1 : 1e-3);
  }
  Threads threads(2);
  for (const bool weighted : {false, true}) {
    auto block = RowBlock<float>::dense(z.view());
    block.targets = y.data();
    block.target_count = 1;
    block.weights = weighted ? weights.data() : nullptr;
    GramFold sums(D, 1, {Task::regression, 0, {0}, {1}}, 1, GramFold::Products::whole);
    sums.add({cpu_backend(), threads}, block);
    const NormalEquations equations(sums, true);
    for (const double lambda : {1e-6, 1e-8, 1e-10}) {
      const std::optional<Coefficients> head = equations.try_solve(lambda, threads);
      ASSERT_TRUE(head) << lambda;
      double error = 0;
      for (std::size_t i = 0; i < n; ++i) {
        double predicted = head->intercept[0];
        for (std::size_t j = 0; j < D; ++j) predicted += double(z(i, j)) * head->weights(j, 0);
        error = std::max(error, std::abs(predicted - y[i]));
      }
      EXPECT_LT(error, 0.01) << lambda << weighted;
    }
  }
}

TEST(Ridge, RefusesNegativeLambda) {
  EXPECT_THROW(fit_problem(Problem(50, 2), 20, {.lambdas = {-1}}), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
