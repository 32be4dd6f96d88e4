// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include "grid_problem.h"
#include "methods/bins/sweeps.h"

namespace bochner {
namespace {

const std::vector<GridLoss> kHinges{GridLoss::hinge, GridLoss::squared_hinge};

double penalty(GridLoss loss, double margin) {
  const double slack = std::max(0.0, 1 - margin);
  return loss == GridLoss::hinge ? slack : slack * slack;
}

// |w|^2 / 2 + sum_i w_i loss / lambda over all outputs, from what the model predicts and keeps.
double objective(const GridProblem& p, const GridFit& fit, const GridFitOptions& options, std::size_t grids) {
  const std::size_t K = p.targets.outputs;
  const Matrix<float> f = p.predict(*fit.head);
  double sum = 0;
  for (const float v : fit.head->values()) sum += 0.5 * double(grids) * double(v) * double(v);
  for (std::size_t i = 0; i < p.n; ++i)
    for (std::size_t k = 0; k < K; ++k)
      sum += double(p.targets.weight_of(i)) / options.lambda *
             penalty(options.loss, double(p.targets.code[i * K + k]) * double(f(i, k)));
  return sum;
}

// The optimum of one output from the kernel of shared bins: projected gradients on the dual, with Nesterov's momentum.
// Between the dual's value, which it returns, and the primal's, which it checks to be near.
double optimum(const GridProblem& p, const GridFit& fit, const GridFitOptions& options, std::size_t k) {
  const std::size_t n = p.n, K = p.targets.outputs, P = fit.head->bins().grids();
  const double b = grid_intercept(p.targets, options.loss)[k];
  std::vector<double> kernel(n * n), y(n), c(n);
  fit.head->bins().each_grid(cpu_backend(), p.block(0, n), [&](std::size_t g, const std::uint32_t* columns) {
    const std::size_t bins = fit.head->bins().offset(g + 1) - fit.head->bins().offset(g);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) kernel[i * n + j] += columns[i] == columns[j] && columns[i] < bins;
  });
  const bool squared = options.loss == GridLoss::squared_hinge;
  double steepest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    y[i] = p.targets.code[i * K + k];
    c[i] = double(p.targets.weight_of(i)) / (options.lambda * double(P));
    double row = squared ? 0.5 / c[i] : 0;
    for (std::size_t j = 0; j < n; ++j) row += kernel[i * n + j];
    steepest = std::max(steepest, row);
  }
  std::vector<double> a(n), ahead(n), f(n);
  const auto scores = [&](const std::vector<double>& at) {
    for (std::size_t i = 0; i < n; ++i) {
      f[i] = b;
      for (std::size_t j = 0; j < n; ++j) f[i] += kernel[i * n + j] * y[j] * at[j];
    }
  };
  double t = 1;
  for (int step = 0; step < 4000; ++step) {
    scores(ahead);
    const double next_t = (1 + std::sqrt(1 + 4 * t * t)) / 2;
    for (std::size_t i = 0; i < n; ++i) {
      const double slope = 1 - y[i] * f[i] - (squared ? ahead[i] * 0.5 / c[i] : 0);
      const double next = std::clamp(ahead[i] + slope / steepest, 0.0, squared ? 1e300 : c[i]);
      ahead[i] = next + (t - 1) / next_t * (next - a[i]);
      a[i] = next;
    }
    t = next_t;
  }
  scores(a);
  double dual = 0, primal = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double half = 0.5 * a[i] * y[i] * (f[i] - b);
    dual += a[i] * (1 - y[i] * b) - half - (squared ? a[i] * a[i] * 0.25 / c[i] : 0);
    primal += half + c[i] * penalty(options.loss, y[i] * f[i]);
  }
  EXPECT_NEAR(dual / primal, 1, 1e-6);
  return dual * double(P);
}

TEST(GridDual, ReachesTheOptimum) {
  Threads threads(2);
  for (const GridLoss loss : kHinges) {
    for (const std::size_t outputs : {1, 2}) {
      for (const std::size_t min_rows : {1, 3}) {
        GridProblem p(150, outputs);
        for (std::size_t i = 0; i < p.n; ++i) p.targets.weight.push_back(i % 3 == 0 ? 2.5f : 1.0f);
        BinningOptions binning = few_grids();
        binning.min_rows = min_rows;
        GridFitOptions options = dual(loss);
        options.lambda = 0.5;
        options.tolerance = 1e-5;
        options.passes = 2000;
        const GridFit fit = fit_grids(threads, p.rows(threads), p.targets, binning, options);
        double best = 0;
        for (std::size_t k = 0; k < outputs; ++k) best += optimum(p, fit, options, k);
        EXPECT_TRUE(fit.converged);
        EXPECT_NEAR(objective(p, fit, options, binning.grids) / best, 1, 1.2e-5);
      }
    }
  }
}

TEST(GridDual, CertificateHoldsAfterAnyEpoch) {
  Threads threads(2);
  const GridProblem p(200, 2);
  for (const GridLoss loss : kHinges) {
    GridFitOptions options = dual(loss);
    options.lambda = 1;
    options.tolerance = 1e-12;
    double best = 0, most = 1e300;
    for (const int epochs : {1, 2, 5, 20}) {
      options.passes = epochs;
      const GridFit fit = fit_grids(threads, p.rows(threads), p.targets, few_grids(), options);
      if (best == 0)
        for (std::size_t k = 0; k < 2; ++k) best += optimum(p, fit, options, k);
      EXPECT_EQ(fit.epochs, epochs);
      EXPECT_FALSE(fit.converged);
      EXPECT_NEAR(fit.objective, objective(p, fit, options, 10), 1e-5 * best);
      EXPECT_GE(fit.objective, best * (1 - 1e-5));
      EXPECT_LE(fit.objective - fit.gap, best * (1 + 1e-5));
      EXPECT_LT(fit.gap, most);
      most = fit.gap;
    }
  }
}

TEST(GridDual, EndsWhereTheToleranceIsReached) {
  Threads threads(2);
  const GridProblem p(2000, 3);
  for (const GridLoss loss : kHinges) {
    int before = 0;
    for (const double tolerance : {0.1, 1e-2, 1e-3}) {
      GridFitOptions options = dual(loss);
      options.lambda = 1;
      options.tolerance = tolerance;
      options.passes = 1000;
      const GridFit fit = fit_grids(threads, p.rows(threads), p.targets, few_grids(), options);
      EXPECT_TRUE(fit.converged);
      EXPECT_LE(fit.gap, tolerance * fit.objective);
      EXPECT_GT(fit.epochs, before);
      before = fit.epochs;
    }
    EXPECT_LT(before, 1000);
  }
}

TEST(GridDual, RowsWithoutWeightAreLeftOutAndStillScored) {
  Threads threads(2);
  GridProblem all(600), some(400);
  for (std::size_t i = 0; i < all.n; ++i) all.targets.weight.push_back(i < 400 ? 1.0f : 0.0f);
  for (const GridLoss loss : kHinges) {
    GridFitOptions options = dual(loss);
    options.lambda = 1;
    options.tolerance = 1e-7;
    options.passes = 5000;
    const GridFit a = fit_grids(threads, all.rows(threads), all.targets, few_grids(), options);
    const GridFit b = fit_grids(threads, some.rows(threads), some.targets, few_grids(), options);
    const Matrix<float> fa = all.predict(*a.head), fb = all.predict(*b.head);
    for (std::size_t i = 0; i < all.n; ++i) {
      ASSERT_NEAR(fa(i, 0), fb(i, 0), 2e-3);
      ASSERT_NEAR(a.state[i], fa(i, 0), 1e-5);
    }
  }
}

TEST(GridDual, RowsInNoBinArePredictedAsTheMean) {
  Threads threads(1);
  const GridProblem p(300);
  double mean = 0;
  for (const float y : p.targets.code) mean += double(y) / double(p.n);
  BinningOptions binning = few_grids();
  binning.min_rows = 301;
  for (const GridLoss loss : kHinges) {
    const GridFit fit = fit_grids(threads, p.rows(threads), p.targets, binning, dual(loss));
    EXPECT_TRUE(fit.converged);
    for (const float f : fit.state) ASSERT_NEAR(f, mean, 1e-6);
  }
}

TEST(GridDual, RefusesWhatItCannotDo) {
  Threads threads(1);
  const GridProblem p(50);
  const auto refuses = [&](GridFitOptions options) {
    EXPECT_THROW(fit_grids(threads, p.rows(threads), p.targets, few_grids(), options), std::invalid_argument);
  };
  refuses(dual(GridLoss::squared));
  refuses(dual(GridLoss::logistic));
  GridFitOptions options = dual(GridLoss::hinge);
  options.solver = GridSolver::sweeps;
  refuses(options);
  options = dual(GridLoss::hinge);
  options.pursuit = 2;
  refuses(options);
  options = dual(GridLoss::hinge);
  options.lambda = 0;
  refuses(options);
  options = dual(GridLoss::hinge);
  options.memory = 3 * 4 * p.n;  // the bins of three grids
  refuses(options);
}

}  // namespace
}  // namespace bochner
