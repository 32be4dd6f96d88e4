// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include <cmath>

#include "methods/bins/scales.h"
#include "random/draw.h"

namespace bochner {
namespace {

// The first input decides, in units of 1000; the second is noise of the same spread, the third is constant.
struct Problem {
  std::size_t n = 3000;
  std::vector<float> x;
  GridTargets targets;
  std::vector<InputFacts> facts{{1000, false, 0}, {1000, false, 1}, {0, false, 2}, {0.5, true, 3}};

  explicit Problem(Task task) {
    for (std::size_t i = 0; i < n; ++i) {
      const double a = normal(1, Draw::sample, i, 0), b = normal(1, Draw::sample, i, 1);
      x.insert(x.end(), {float(1000 * a), float(1000 * b), 7.0f, float(i % 2)});
      const double wave = std::sin(4 * a);
      targets.code.push_back(task == Task::regression ? float(wave) : wave > 0 ? 1.0f : -1.0f);
    }
  }
  GridRows<float> rows(Threads& threads) const {
    RowBlock<float> b;
    b.rows = n;
    b.cols = b.stride = 4;
    b.values = x.data();
    GridRows<float> all;
    all.add(threads, b);
    return all;
  }
};

GridScaleSearch search(const Problem& p, Threads& threads, Task task, bool fixed_lambda = false) {
  BinningOptions binning;
  binning.grids = 20;
  binning.seed = 3;
  const GridRows<float> rows = p.rows(threads);
  const GridFitOptions fit;
  return search_grid_scales<float>(threads, {rows, p.targets, task, p.facts, binning, fit, fixed_lambda});
}

TEST(GridScales, AnInputThatDecidesGetsAShortScaleAndNoiseALongOne) {
  Threads threads(2);
  for (const Task task : {Task::classification, Task::regression}) {
    const GridScaleSearch found = search(Problem(task), threads, task);
    ASSERT_EQ(found.length_scales.size(), 4u);
    EXPECT_GT(found.length_scales[1], 8 * found.length_scales[0]);
    EXPECT_LT(found.length_scales[0], 1500);
    EXPECT_LT(found.best.loss, 0.2);
    EXPECT_GT(found.lambda, 0);
  }
}

TEST(GridScales, IsTheSameForAnyThreadCountAndKeepsAGivenLambda) {
  const Problem p(Task::classification);
  Threads one(1), three(3);
  const GridScaleSearch a = search(p, one, Task::classification, true);
  const GridScaleSearch b = search(p, three, Task::classification, true);
  EXPECT_EQ(a.length_scales, b.length_scales);
  EXPECT_EQ(a.best.loss, b.best.loss);
  EXPECT_EQ(a.lambda, GridFitOptions{}.lambda);
}

TEST(GridScales, ManyInputsShareOneScale) {
  Threads threads(2);
  constexpr std::size_t n = 300, d = 60;
  std::vector<float> x;
  GridTargets targets;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) x.push_back(float(normal(4, Draw::sample, i, j)));
    targets.code.push_back(x[i * d] > 0 ? 1.0f : -1.0f);
  }
  RowBlock<float> b;
  b.rows = n;
  b.cols = b.stride = d;
  b.values = x.data();
  GridRows<float> rows;
  rows.add(threads, b);
  const std::vector<InputFacts> facts(d, InputFacts{2.0, false, 0});
  const BinningOptions binning;
  const GridFitOptions fit;
  const auto found = search_grid_scales<float>(threads, {rows, targets, Task::classification, facts, binning, fit});
  for (const double scale : found.length_scales) EXPECT_EQ(scale, found.length_scales[0]);
  EXPECT_LT(found.fits, 100u);
}

TEST(GridScales, RefusesFactsOfOtherInputs) {
  Threads threads(1);
  const Problem p(Task::classification);
  const GridRows<float> rows = p.rows(threads);
  const std::vector<InputFacts> facts(3);
  const BinningOptions binning;
  const GridFitOptions fit;
  EXPECT_THROW(search_grid_scales<float>(threads, {rows, p.targets, Task::classification, facts, binning, fit}),
               std::invalid_argument);
}

}  // namespace
}  // namespace bochner
