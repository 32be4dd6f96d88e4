// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "grid_problem.h"
#include "methods/bins/draw_grid.h"
#include "methods/bins/pursuit.h"

namespace bochner {
namespace {

using Problem = GridProblem;

GridFitOptions conjugate() {
  GridFitOptions options;
  options.solver = GridSolver::conjugate;
  return options;
}

// Every loss and solver.
std::vector<GridFitOptions> all_solvers() {
  GridFitOptions squared, logistic;
  logistic.loss = GridLoss::logistic;
  return {squared, logistic, conjugate(), dual(GridLoss::hinge), dual(GridLoss::squared_hinge)};
}

// The slope of every bin balances the penalty at the minimum: G_c = shift v_c.
void expect_stationary(const Problem& p, const GridFit& fit, GridLoss loss, double shift, double tolerance) {
  const std::size_t K = p.targets.outputs;
  const Matrix<float> f = p.predict(*fit.head);
  double worst = 0;
  fit.head->bins().each_grid(cpu_backend(), p.block(0, p.n), [&](std::size_t g, const std::uint32_t* columns) {
    const std::size_t from = fit.head->bins().offset(g), bins = fit.head->bins().offset(g + 1) - from;
    std::vector<double> slope(bins * K);
    for (std::size_t i = 0; i < p.n; ++i) {
      for (std::size_t k = 0; k < K; ++k) {
        const double y = double(p.targets.code[i * K + k]), at = double(f(i, k));
        slope[columns[i] * K + k] += loss == GridLoss::squared ? y - at : y / (1 + std::exp(y * at));
      }
    }
    for (std::size_t c = 0; c < bins * K; ++c)
      worst = std::max(worst, std::abs(slope[c] - shift * double(fit.head->values()[from * K + c])));
  });
  EXPECT_LT(worst, tolerance);
}

TEST(Grids, SweepsReachTheMinimum) {
  Threads threads(2);
  for (const GridLoss loss : {GridLoss::squared, GridLoss::logistic}) {
    for (const std::size_t outputs : {1, 3}) {
      // A sweep removes about shift / (rows in a bin) of what two grids hold against each other.
      const Problem p(600, outputs);
      GridFitOptions options;
      options.loss = loss;
      options.lambda = 1;
      options.passes = 500;
      const GridFit fit = fit_grids(threads, p.rows(threads), p.targets, few_grids(), options);
      expect_stationary(p, fit, loss, 1.0 * 10, 2e-3);
    }
  }
}

TEST(Grids, ConjugateGradientsReachTheMinimum) {
  Threads threads(2);
  for (const std::size_t outputs : {1, 3}) {
    const Problem p(600, outputs);
    GridFitOptions options = conjugate();
    options.lambda = 1;
    options.passes = 80;
    const GridFit fit = fit_grids(threads, p.rows(threads), p.targets, few_grids(), options);
    expect_stationary(p, fit, GridLoss::squared, 1.0 * 10, 2e-4);
    // What a step leaves of the rows is what the model leaves of them.
    const Matrix<float> f = p.predict(*fit.head);
    for (std::size_t i = 0; i < p.n; ++i)
      for (std::size_t k = 0; k < outputs; ++k)
        ASSERT_NEAR(fit.state[i * outputs + k], p.targets.code[i * outputs + k] - f(i, k), 1e-5);
  }
}

TEST(Grids, ConjugateGradientsLeaveATargetThatIsConstantAlone) {
  Threads threads(2);
  Problem p(200, 2);
  for (std::size_t i = 0; i < p.n; ++i) p.targets.code[2 * i] = 1;
  const GridFit fit = fit_grids(threads, p.rows(threads), p.targets, few_grids(), conjugate());
  const Matrix<float> f = p.predict(*fit.head);
  for (std::size_t i = 0; i < p.n; ++i) ASSERT_FLOAT_EQ(f(i, 0), 1);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < p.n; ++i) wrong += f(i, 1) * p.targets.code[2 * i + 1] <= 0;
  EXPECT_LT(wrong, 10u);
}

TEST(Grids, ConjugateGradientsRefuseWhatNeedsSweeps) {
  Threads threads(1);
  const Problem p(50);
  GridFitOptions options = conjugate();
  options.loss = GridLoss::logistic;
  EXPECT_THROW(fit_grids(threads, p.rows(threads), p.targets, few_grids(), options), std::invalid_argument);
  options = conjugate();
  options.pursuit = 2;
  EXPECT_THROW(fit_grids(threads, p.rows(threads), p.targets, few_grids(), options), std::invalid_argument);
}

TEST(Grids, ModelIsTheSameToTheBitForAnyThreadCountAndBlockSplit) {
  const Problem p(30000, 2);
  for (const GridFitOptions& options : all_solvers()) {
    Threads one(1);
    const Archive expected = saved(*fit_grids(one, p.rows(one), p.targets, few_grids(), options).head);
    for (const int count : {2, 3, 7}) {
      Threads threads(count);
      const GridRows<float> rows = p.rows(threads, 1000 * std::size_t(count) + 1);
      const GridFit fit = fit_grids(threads, rows, p.targets, few_grids(), options);
      EXPECT_EQ(saved(*fit.head).arrays, expected.arrays) << count << " threads";
    }
  }
}

TEST(Grids, OutputsAreFittedAsIfAlone) {
  Threads threads(2);
  const Problem both(3000, 2);
  for (const GridFitOptions& options : all_solvers()) {
    const GridFit fit = fit_grids(threads, both.rows(threads), both.targets, few_grids(), options);
    for (std::size_t k = 0; k < 2; ++k) {
      GridTargets alone;
      for (std::size_t i = 0; i < both.n; ++i) alone.code.push_back(both.targets.code[i * 2 + k]);
      const GridFit single = fit_grids(threads, both.rows(threads), alone, few_grids(), options);
      for (std::size_t c = 0; c < single.head->values().size(); ++c)
        ASSERT_NEAR(single.head->values()[c], fit.head->values()[c * 2 + k], 1e-5);
    }
  }
}

TEST(Grids, ARowOfWeightTwoIsTwoRows) {
  Threads threads(2);
  Problem once(500), twice(500);
  for (std::size_t i = 0; i < once.n; ++i) once.targets.weight.push_back(i < 100 ? 2.0f : 1.0f);
  for (std::size_t i = 0; i < 100; ++i) {
    for (std::size_t j = 0; j < 3; ++j) twice.x.push_back(twice.x[i * 3 + j]);
    twice.targets.code.push_back(twice.targets.code[i]);
  }
  twice.n += 100;
  for (GridFitOptions options : all_solvers()) {
    // Rows taken in another order meet at the minimum only.
    if (options.solver == GridSolver::dual) {
      options.tolerance = 1e-7;
      options.passes = 5000;
      options.lambda = 1;
    }
    const GridFit a = fit_grids(threads, once.rows(threads), once.targets, few_grids(), options);
    const GridFit b = fit_grids(threads, twice.rows(threads), twice.targets, few_grids(), options);
    ASSERT_EQ(a.head->values().size(), b.head->values().size());
    for (std::size_t c = 0; c < a.head->values().size(); ++c)
      ASSERT_NEAR(a.head->values()[c], b.head->values()[c], 1e-4);
  }
}

TEST(Grids, RareBinsAreForgottenAndTheFullestAreKept) {
  Threads threads(2);
  const Problem p(1500);
  const GridRows<float> rows = p.rows(threads);
  const GridBins all = bin_rows(threads, rows, few_grids(), {});
  BinningOptions rare = few_grids(), few = few_grids();
  rare.min_rows = 4;
  few.max_bins = 5;
  const GridBins without_rare = bin_rows(threads, rows, rare, {}), fullest = bin_rows(threads, rows, few, {});
  std::size_t forgotten = 0;
  for (std::size_t g = 0; g < 10; ++g) {
    std::vector<float> masses = all.grids[g].mass;
    const auto populous = std::count_if(masses.begin(), masses.end(), [](float m) { return m >= 4; });
    forgotten += masses.size() - std::size_t(populous);
    EXPECT_EQ(without_rare.grids[g].size(), std::size_t(populous));
    for (const float m : without_rare.grids[g].mass) EXPECT_GE(m, 4);
    std::sort(masses.rbegin(), masses.rend());
    masses.resize(std::min<std::size_t>(5, masses.size()));
    std::vector<float> kept = fullest.grids[g].mass;
    std::sort(kept.rbegin(), kept.rend());
    EXPECT_EQ(kept, masses);
    // Rows keep their bin or lose it; the hash tells which bin it was.
    for (std::size_t i = 0; i < p.n; ++i) {
      const std::uint32_t now = without_rare.of(g)[i], before = all.of(g)[i];
      if (now == without_rare.grids[g].size())
        EXPECT_LT(all.grids[g].mass[before], 4);
      else
        EXPECT_EQ(without_rare.grids[g].hashes[now], all.grids[g].hashes[before]);
    }
  }
  EXPECT_GT(forgotten, 0u);
  const GridFit fit = fit_grids(threads, rows, p.targets, rare, {});
  const GridFit whole = fit_grids(threads, rows, p.targets, few_grids(), {});
  EXPECT_EQ(fit.head->bins().outputs() + forgotten, whole.head->bins().outputs());
}

TEST(Grids, ARowFarFromAllTrainingIsPredictedAsTheMean) {
  Threads threads(1);
  const Problem p(400, 1, true);
  double mean = 0;
  for (const float y : p.targets.code) mean += double(y) / double(p.n);
  const GridFit fit = fit_grids(threads, p.rows(threads), p.targets, few_grids(), {});
  const std::vector<float> far{1e5f, 1e5f, 0};
  RowBlock<float> block;
  block.rows = 1;
  block.cols = block.stride = 3;
  block.values = far.data();
  Matrix<float> y(1, 1);
  fit.head->apply(reference_backend(), block, y.view());
  EXPECT_NEAR(y(0, 0), mean, 1e-6);
}

TEST(Grids, LearnsWhatALinearModelCannot) {
  Threads threads(2);
  const Problem p(6000), fresh(8000);  // the first 6000 rows are the same
  for (const GridFitOptions& options : all_solvers()) {
    BinningOptions binning = few_grids();
    binning.grids = 50;
    const GridFit fit = fit_grids(threads, p.rows(threads), p.targets, binning, options);
    const Matrix<float> f = fresh.predict(*fit.head);
    std::size_t wrong = 0;
    for (std::size_t i = 6000; i < fresh.n; ++i) wrong += f(i, 0) * fresh.targets.code[i] <= 0;
    EXPECT_LT(wrong, 2000u * 8 / 100);
  }
}

TEST(Grids, ShortMemoryChangesNothing) {
  Threads threads(2);
  const Problem p(3000);
  const GridRows<float> rows = p.rows(threads);
  GridFitOptions pursuit;
  pursuit.pursuit = 3;
  for (GridFitOptions options : {GridFitOptions(), pursuit, conjugate()}) {
    BinningOptions binning = few_grids();
    binning.min_rows = 2;
    const GridFit plenty = fit_grids(threads, rows, p.targets, binning, options);
    options.memory = 3 * 4 * p.n;  // the bins of three grids
    const GridFit little = fit_grids(threads, rows, p.targets, binning, options);
    EXPECT_EQ(saved(*plenty.head).arrays, saved(*little.head).arrays);
  }
}

// The class is the product of two signs among many inputs that say nothing.
struct Interaction {
  static constexpr std::size_t kInputs = 12;
  std::vector<float> x;
  GridTargets targets;

  explicit Interaction(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < kInputs; ++j) x.push_back(float(uniform(8, Draw::sample, i, j)));
      const float* row = &x[i * kInputs];
      targets.code.push_back((row[3] - 0.5f) * (row[7] - 0.5f) > 0 ? 1.0f : -1.0f);
    }
  }
  GridRows<float> rows(Threads& threads) const {
    RowBlock<float> b;
    b.rows = targets.rows();
    b.cols = b.stride = kInputs;
    b.values = x.data();
    GridRows<float> all;
    all.groups = packing_groups(kInputs, pairs());
    all.add(threads, b);
    return all;
  }
  static BinningOptions pairs() {
    BinningOptions options;
    options.law = parse_pitch_law("log-uniform");
    options.order_low = options.order_high = 2;
    options.grids = 10;
    return options;
  }
};

TEST(GridPursuit, FindsTheInputsThatInteract) {
  Threads threads(2);
  const Interaction p(4000);
  GridFitOptions options;
  options.loss = GridLoss::logistic;
  options.passes = 1;
  const auto right_pairs = [&](std::size_t pursuit) {
    options.pursuit = pursuit;
    const GridFit fit = fit_grids(threads, p.rows(threads), p.targets, Interaction::pairs(), options);
    int right = 0;
    for (const std::uint64_t id : fit.head->bins().draws())
      right +=
          draw_grid<float>(Interaction::kInputs, Interaction::pairs(), id).inputs == std::vector<std::uint32_t>{3, 7};
    return right;
  };
  // One pair in 66 is the right one: of ten draws none is likely, of ten times 300 each choice has one.
  EXPECT_LE(right_pairs(1), 2);
  EXPECT_GE(right_pairs(300), 5);
}

// Draws are tried some at a time: the best of all is not that of the first of them, nor forgotten after it.
TEST(GridPursuit, TriesAnyNumberOfDraws) {
  Threads threads(2);
  const Interaction p(200);
  BinningOptions one = Interaction::pairs();
  one.grids = 1;
  const auto chosen = [&](std::size_t pursuit) {
    GridFitOptions options;
    options.passes = 1;
    options.pursuit = pursuit;
    return fit_grids(threads, p.rows(threads), p.targets, one, options).head->bins().draws().front();
  };
  const std::uint64_t best = chosen(6000);
  ASSERT_GT(best, 1024u);
  EXPECT_EQ(chosen(best + 1), best);
  EXPECT_LT(chosen(best), best);
  EXPECT_EQ(chosen(12000) < 6000, chosen(12000) == best);
}

TEST(GridPursuit, IsTheSameForAnyThreadCount) {
  const Interaction p(9000);
  GridFitOptions options;
  options.pursuit = 8;
  options.loss = GridLoss::logistic;
  Threads one(1);
  const Archive expected = saved(*fit_grids(one, p.rows(one), p.targets, Interaction::pairs(), options).head);
  for (const int count : {2, 3, 7}) {
    Threads threads(count);
    const GridFit fit = fit_grids(threads, p.rows(threads), p.targets, Interaction::pairs(), options);
    EXPECT_EQ(saved(*fit.head).arrays, expected.arrays) << count;
  }
}

TEST(GridPursuit, ChoosesTheSameByBinsThatAnEarlierFitFound) {
  Threads threads(2);
  const Interaction p(900);
  GridFitOptions options;
  options.pursuit = 8;
  const auto fitted = [&](double lambda) {
    options.lambda = lambda;
    return saved(*fit_grids(threads, p.rows(threads), p.targets, Interaction::pairs(), options).head).arrays;
  };
  const auto weak = fitted(0.1), strong = fitted(30);
  EXPECT_NE(weak, strong);
  options.drawn = std::make_shared<DrawnBins>(8 * Interaction::pairs().grids);
  EXPECT_EQ(fitted(0.1), weak);
  EXPECT_EQ(fitted(30), strong);
  EXPECT_TRUE(DrawnBins::worth_keeping(1000, 4000, 1e12));
  EXPECT_FALSE(DrawnBins::worth_keeping(1000, 4000, 1e7));
  EXPECT_FALSE(DrawnBins::worth_keeping(100000, 1, 1e12));
}

TEST(Grids, RefusesTargetsOfAnotherLength) {
  Threads threads(1);
  const Problem p(50), q(60);
  EXPECT_THROW(fit_grids(threads, p.rows(threads), q.targets, few_grids(), {}), std::invalid_argument);
  GridFitOptions options;
  options.lambda = -1;
  EXPECT_THROW(fit_grids(threads, p.rows(threads), p.targets, few_grids(), options), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
