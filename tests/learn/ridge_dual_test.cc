// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/ridge/ridge_dual.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bochner/error.h"
#include "bochner/rows.h"
#include "learn/ridge/solver_choice.h"
#include "random/draw.h"

namespace bochner {
namespace {

// Fewer rows than features. Rows 3 and 4 are equal, the last column is constant.
struct Wide {
  Matrix<double> x, y;
  std::vector<double> weights;
  Schema schema;

  Wide(std::size_t n, std::size_t D, std::size_t targets, std::size_t classes = 0) : x(n, D), y(n, targets) {
    schema.inputs = D;
    schema.targets = targets;
    schema.task = classes ? Task::classification : Task::regression;
    for (std::size_t c = 0; c < classes; ++c) schema.labels.push_back(std::to_string(c));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j + 1 < D; ++j) x(i, j) = 3 + normal(1, Draw::sample, i == 4 ? 3 : i, j);
      x(i, D - 1) = 7;
      for (std::size_t k = 0; k < targets; ++k)
        y(i, k) = classes ? double(i % classes) : 100 + x(i, k) * x(i, k + 1) + normal(1, Draw::holdout, i, k);
    }
  }
  Fitted fit(const RidgeOptions& options, int threads = 2, std::size_t block_rows = 0, bool dual = true) const {
    const auto rows = memory_rows<double>(x.view(), y.view(), schema, weights.empty() ? nullptr : weights.data());
    Threads team(threads);
    const Execution execution{.threads = threads, .block_rows = block_rows};
    const Survey survey = Stream(*rows, nullptr, team, execution, Precision::float64).fold(Survey(schema, 0));
    const Stream stream(*rows, nullptr, team, execution, Precision::float64);
    return dual ? fit_ridge_dual(stream, survey, options) : fit_ridge(stream, survey, options);
  }
  Matrix<double> predict(const Fitted& fitted) const {
    RowBlock<double> block;
    block.rows = x.rows();
    block.cols = block.stride = x.cols();
    block.values = x.data();
    Matrix<double> found(x.rows(), fitted.head->outputs());
    fitted.head->apply(cpu_backend(), block, found.view());
    return found;
  }
  double weight(std::size_t i) const { return weights.empty() ? 1 : weights[i]; }

  // (A^T A + lambda n I) w = A^T y about the weighted means by Gauss elimination, for target k; `without` leaves a row
  // out but keeps the penalty. Returns the prediction for each row.
  std::vector<double> naive(double lambda, std::size_t k, bool intercept, std::size_t without = ~std::size_t(0)) const {
    const std::size_t n = x.rows(), D = x.cols();
    const auto w = [&](std::size_t i) { return i == without ? 0 : weight(i); };
    double all = 0, sum = 0, y_mean = 0;
    std::vector<double> mean(D);
    for (std::size_t i = 0; i < n; ++i) {
      all += weight(i);
      sum += w(i);
    }
    for (std::size_t i = 0; i < n && intercept; ++i) {
      y_mean += w(i) / sum * y(i, k);
      for (std::size_t j = 0; j < D; ++j) mean[j] += w(i) / sum * x(i, j);
    }
    Matrix<double> a(D, D + 1);
    for (std::size_t p = 0; p < D; ++p) {
      for (std::size_t i = 0; i < n; ++i) {
        const double left = w(i) * (x(i, p) - mean[p]);
        for (std::size_t q = 0; q < D; ++q) a(p, q) += left * (x(i, q) - mean[q]);
        a(p, D) += left * (y(i, k) - y_mean);
      }
      a(p, p) += lambda * all;
    }
    for (std::size_t p = 0; p < D; ++p)
      for (std::size_t q = 0; q < D; ++q) {
        if (q == p) continue;
        const double factor = a(q, p) / a(p, p);
        for (std::size_t c = p; c <= D; ++c) a(q, c) -= factor * a(p, c);
      }
    std::vector<double> found(n, y_mean);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < D; ++j) found[i] += (x(i, j) - mean[j]) * a(j, D) / a(j, j);
    return found;
  }
};

TEST(RidgeDual, SolvesTheEquationsOfRidge) {
  for (const bool weighted : {false, true})
    for (const bool intercept : {false, true}) {
      Wide wide(30, 70, 2);
      if (weighted)
        for (std::size_t i = 0; i < 30; ++i) wide.weights.push_back(double(i % 4));
      const Fitted fitted = wide.fit({.lambdas = {0.01}, .intercept = intercept});
      const Matrix<double> found = wide.predict(fitted);
      for (std::size_t k = 0; k < 2; ++k) {
        const std::vector<double> expected = wide.naive(0.01, k, intercept);
        for (std::size_t i = 0; i < 30; ++i) EXPECT_NEAR(found(i, k), expected[i], 1e-8 * std::abs(expected[i]));
      }
    }
}

TEST(RidgeDual, LeavesOneRowOutAsIfFittedWithoutIt) {
  for (const double lambda : {1e-7, 1e-2, 1.0})
    for (const bool weighted : {false, true})
      for (const bool intercept : {false, true}) {
        Wide wide(20, 40, 1);
        if (weighted)
          for (std::size_t i = 0; i < 20; ++i) wide.weights.push_back(1 + double(i % 4));
        double squares = 0, weight = 0;
        for (std::size_t i = 0; i < 20; ++i) {
          const double left = wide.naive(lambda, 0, intercept, i)[i] - wide.y(i, 0);
          squares += wide.weight(i) * left * left;
          weight += wide.weight(i);
        }
        const Fitted fitted = wide.fit({.lambdas = {lambda}, .intercept = intercept});
        ASSERT_TRUE(fitted.report.score);
        EXPECT_NEAR(*fitted.report.score->rmse, std::sqrt(squares / weight), 1e-7 * std::sqrt(squares / weight));
      }
}

TEST(RidgeDual, ChoosesAndScoresAsCholesky) {
  for (const std::size_t classes : {0, 2, 3}) {
    const Wide wide(60, 80, 1, classes);
    const RidgeOptions options{.lambdas = {1e-4, 1e-3, 1e-2, 0.1, 1, 10},
                               .select = RidgeOptions::Select::leave_one_out};
    const Fitted dual = wide.fit(options), primal = wide.fit(options, 2, 0, false);
    EXPECT_EQ(dual.report.lambda, primal.report.lambda);
    const Matrix<double> found = wide.predict(dual), expected = wide.predict(primal);
    for (std::size_t i = 0; i < 60; ++i)
      for (std::size_t k = 0; k < found.cols(); ++k)
        EXPECT_NEAR(found(i, k), expected(i, k), 1e-6 * (1 + std::abs(expected(i, k))));
    if (classes)
      EXPECT_NEAR(*dual.report.score->error, *primal.report.score->error, 1e-9);
    else
      EXPECT_NEAR(*dual.report.score->rmse, *primal.report.score->rmse, 1e-6 * *primal.report.score->rmse);
  }
}

TEST(RidgeDual, GivesTheSameBitsForAnyThreadsAndBlocks) {
  const Wide wide(300, 1100, 2);
  const Fitted one = wide.fit({}, 1);
  for (const int threads : {2, 3, 7}) {
    const Fitted other = wide.fit({}, threads, 1024 * std::size_t(threads));
    EXPECT_EQ(wide.predict(one), wide.predict(other));
    EXPECT_EQ(one.report.lambda, other.report.lambda);
    EXPECT_EQ(one.report.score->rmse, other.report.score->rmse);
  }
}

TEST(RidgeDual, MeetsEveryTargetWithoutAPenalty) {
  Wide wide(20, 60, 1);
  for (std::size_t j = 0; j < 60; ++j) wide.x(4, j) += double(j % 3);  // no longer row 3 again
  const Matrix<double> found = wide.predict(wide.fit({.lambdas = {0.0}}));
  for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(found(i, 0), wide.y(i, 0), 1e-8 * wide.y(i, 0));
  EXPECT_THROW(Wide(20, 60, 1).fit({.lambdas = {0.0}}), Error);  // equal rows of different targets
}

TEST(RidgeDual, IsChosenForFewerRowsThanFeatures) {
  using Solver = RidgeOptions::Solver;
  FitSize size;
  size.rows = 50;
  size.features = 20000;
  constexpr double kMemory = 4e9;
  EXPECT_EQ(choose_solver(size, {}, kMemory).solver, Solver::dual);
  EXPECT_LT(ridge_memory(size, {}, kMemory).total(), 1e8);
  EXPECT_EQ(choose_solver(size, {.solver = Solver::cholesky}, kMemory).solver, Solver::cholesky);
  EXPECT_NE(choose_solver(size, {.select = RidgeOptions::Select::hold_out}, kMemory).solver, Solver::dual);
  size.rows = 100000;
  size.features = 2000;
  EXPECT_NE(choose_solver(size, {}, kMemory).solver, Solver::dual);
  EXPECT_THROW(Wide(20, 60, 1).fit({.select = RidgeOptions::Select::hold_out}), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
