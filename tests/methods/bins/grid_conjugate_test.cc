// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include "base/archive.h"
#include "methods/bins/binned_rows.h"
#include "methods/bins/conjugate.h"
#include "methods/bins/grid_problem.h"

namespace bochner {
namespace {

constexpr double kShift = 0.5;

struct GridRun {
  GridProblem problem;
  std::vector<double> intercept;
  BinningOptions binning = few_grids();
  Threads threads;
  GridRows<float> rows;
  BinnedRows<float> bins;
  GridConjugate cg;

  GridRun(std::size_t n, std::size_t outputs, bool weighted, int team, std::size_t memory = 0)
      : problem(n, outputs, true),
        intercept(outputs, 0.25),
        threads(team),
        rows(problem.rows(threads)),
        bins(threads, rows, weigh(weighted), binning, memory),
        cg(threads, bins, problem.targets, intercept, kShift) {}

  std::span<const float> weigh(bool weighted) {
    for (std::size_t i = 0; i < problem.n && weighted; ++i) problem.targets.weight.push_back(float(1 + i % 3));
    return problem.targets.weight;
  }

  // sum_i w_i (y_i - f_i)^2 / 2 + shift/2 |v|^2 and its largest slope, in plain loops over rows and grids.
  std::pair<double, double> objective_and_slope() {
    const std::size_t K = problem.targets.outputs;
    double objective = 0, slope = 0;
    std::vector<double> r(problem.n * K);
    for (std::size_t i = 0; i < problem.n; ++i)
      for (std::size_t k = 0; k < K; ++k) r[i * K + k] = double(problem.targets.code[i * K + k]) - intercept[k];
    bins.each(true, [&](std::size_t begin, std::size_t count) {
      for (std::size_t g = begin; g < begin + count; ++g)
        for (std::size_t i = 0; i < problem.n; ++i)
          for (std::size_t k = 0; k < K; ++k)
            if (const std::size_t bin = bins.columns(g)[i]; bin < bins.bins(g).size())
              r[i * K + k] -= double(cg.values(g)[bin * K + k]);
    });
    for (std::size_t i = 0; i < r.size(); ++i)
      objective += 0.5 * double(problem.targets.weight_of(i / K)) * r[i] * r[i];
    bins.each(true, [&](std::size_t begin, std::size_t count) {
      for (std::size_t g = begin; g < begin + count; ++g) {
        std::vector<double> down(cg.values(g).size());
        for (std::size_t i = 0; i < problem.n; ++i)
          for (std::size_t k = 0; k < K; ++k)
            if (const std::size_t bin = bins.columns(g)[i]; bin < bins.bins(g).size())
              down[bin * K + k] += double(problem.targets.weight_of(i)) * r[i * K + k];
        for (std::size_t c = 0; c < down.size(); ++c) {
          const double v = cg.values(g)[c];
          objective += 0.5 * kShift * v * v;
          slope = std::max(slope, std::abs(down[c] - kShift * v));
        }
      }
    });
    return {objective, slope};
  }
};

TEST(GridConjugate, ComesToTheMinimumOfItsObjective) {
  for (const bool weighted : {false, true})
    for (const std::size_t outputs : {1u, 3u}) {
      GridRun run(400, outputs, weighted, 2);
      run.cg.start();
      double before = run.objective_and_slope().first;
      const double first_slope = run.objective_and_slope().second;
      for (int step = 0; step < 60; ++step) {
        run.cg.step(false);
        const double now = run.objective_and_slope().first;
        EXPECT_LE(now, before * (1 + 1e-6)) << "step " << step;
        before = now;
      }
      EXPECT_LT(run.objective_and_slope().second, 1e-3 * first_slope) << outputs << " outputs";
    }
}

TEST(GridConjugate, IsTheSameToTheBitForAnyThreadsAndMemory) {
  const auto values = [](int threads, std::size_t memory) {
    GridRun run(500, 2, true, threads, memory);
    run.cg.start();
    for (int step = 0; step < 5; ++step) run.cg.step(step == 4);
    std::vector<float> all = run.cg.residuals();
    for (std::size_t g = 0; g < run.bins.grids(); ++g)
      all.insert(all.end(), run.cg.values(g).begin(), run.cg.values(g).end());
    return all;
  };
  const std::vector<float> one = values(1, 0);
  EXPECT_EQ(one, values(3, 0));
  EXPECT_EQ(one, values(2, 3 * 500 * sizeof(std::uint32_t)));  // three grids at a time
}

TEST(GridConjugate, GoesOnFromWhatItSaved) {
  GridRun whole(300, 1, false, 2), first(300, 1, false, 2), second(300, 1, false, 2);
  whole.cg.start();
  for (int step = 0; step < 4; ++step) whole.cg.step(false);
  first.cg.start();
  for (int step = 0; step < 2; ++step) first.cg.step(false);
  Archive archive;
  first.cg.save(archive);
  second.bins.find(second.bins.grids());
  second.cg.load(archive);
  for (int step = 0; step < 2; ++step) second.cg.step(false);
  EXPECT_EQ(whole.cg.residuals(), second.cg.residuals());
  for (std::size_t g = 0; g < whole.bins.grids(); ++g) EXPECT_EQ(whole.cg.values(g), second.cg.values(g));
}

}  // namespace
}  // namespace bochner
