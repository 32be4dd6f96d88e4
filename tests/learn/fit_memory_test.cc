// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/fit_memory.h"

#include <gtest/gtest.h>

#include "learn/ridge/solver_choice.h"

namespace bochner {
namespace {

constexpr double kGiga = 1 << 30;

FitSize size_of(std::size_t rows, std::size_t features) {
  FitSize size;
  size.rows = rows;
  size.features = features;
  size.map_weights = 25;
  size.threads = 2;
  return size;
}

TEST(FitMemory, PlansGrowWithTheFeatures) {
  const RidgeOptions one{.lambdas = {1e-6}};
  for (std::size_t D = 200; D < 30000; D += D / 7) {  // D is above the small problems that are left out one by one
    const FitSize small = size_of(300000, D), large = size_of(300000, D + D / 7);
    EXPECT_LT(cholesky_memory(small, one, kGiga).total(), cholesky_memory(large, one, kGiga).total()) << D;
    EXPECT_LT(cg_memory(small, one, kGiga).total(), cg_memory(large, one, kGiga).total()) << D;
    EXPECT_LT(newton_memory(small, {}, kGiga).total(), newton_memory(large, {}, kGiga).total()) << D;
    EXPECT_LT(sums_memory(small, kGiga).total(), sums_memory(large, kGiga).total()) << D;
  }
}

// Features that do not fit are mapped anew: the plan takes what there is and no more.
TEST(FitMemory, LearnersKeepTheFeaturesThatFit) {
  const FitSize size = size_of(357345, 2000);
  const LearnerOptions logistic{.learner = Learner::logistic}, huber{.learner = Learner::huber};
  EXPECT_DOUBLE_EQ(learner_memory(size, logistic, kGiga).total(), kGiga);
  const double plenty = learner_memory(size, logistic, 16 * kGiga).total();
  EXPECT_GT(plenty, 357345.0 * 2000 * 2);  // 16-bit numbers
  EXPECT_LT(plenty, 357345.0 * 2000 * 2 + 0.5 * kGiga);
  EXPECT_GT(learner_memory(size, huber, 16 * kGiga).total(), 357345.0 * 2000 * 4);  // float
}

TEST(FitMemory, CholeskyHoldsTwoTriangles) {
  const double D = 20000, triangle = D * D / 2 * 8;
  const double total = cholesky_memory(size_of(300000, 20000), {.lambdas = {1e-6}}, 16 * kGiga).total();
  EXPECT_GT(total, 2 * triangle);
  EXPECT_LT(total, 2 * 1.04 * triangle + 8800 * D * 4 + 0.1 * kGiga);  // and the rows held out
}

TEST(FitMemory, TheSolverIsOneThatFits) {
  const FitSize size = size_of(300000, 5000);
  const RidgeOptions searched;
  ASSERT_EQ(choose_solver(size, searched, 16 * kGiga).solver, RidgeOptions::Solver::cg);
  const double cg = cg_memory(size, searched, kGiga).total(), cholesky = cholesky_memory(size, searched, kGiga).total();
  ASSERT_LT(cholesky, cg);  // several factors
  EXPECT_EQ(choose_solver(size, searched, (cg + cholesky) / 2).solver, RidgeOptions::Solver::cholesky);
  EXPECT_LE(ridge_memory(size, searched, (cg + cholesky) / 2).total(), (cg + cholesky) / 2);
  EXPECT_EQ(choose_solver(size, {.solver = RidgeOptions::Solver::cg}, (cg + cholesky) / 2).solver,
            RidgeOptions::Solver::cg);
}

TEST(MemoryPlan, TheLargestThatFitsFitsAndTheNextDoesNot) {
  const auto plan = [](std::size_t D) { return MemoryPlan().add("square", double(D) * double(D)); };
  for (const double limit : {0.0, 3.0, 4.0, 5.0, 1e4, 1e4 - 1, 1e9}) {
    const std::size_t D = largest_that_fits(1000, 2, limit, plan);
    EXPECT_EQ(D % 2, 0u);
    EXPECT_LE(plan(D).total(), limit);
    if (D < 1000) {
      EXPECT_GT(plan(D + 2).total(), limit);
    }
  }
}

TEST(MemoryPlan, SaysTheLargestItemFirstAndSizesAsTheOptionTakesThem) {
  const MemoryPlan plan =
      MemoryPlan().add("factor", 0.5 * kGiga).add("features", 2.25 * kGiga).add("nothing", 0).add("dust", 1 << 20);
  EXPECT_EQ(plan.text(18 * kGiga), "memory: 2.8G of 18.0G: features 2.2G, factor 512M, other 1.0M");
}

}  // namespace
}  // namespace bochner
