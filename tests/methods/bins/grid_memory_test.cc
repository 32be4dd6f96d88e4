// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include <regex>

#include "methods/bins/bins.h"
#include "methods/bins/memory.h"
#include "random/draw.h"

namespace bochner {
namespace {

constexpr double kMega = 1 << 20;

GridSize size_of(std::size_t rows, std::size_t grids, double bins) {
  GridSize size;
  size.rows = rows;
  size.grids = grids;
  size.bins = bins;
  size.packed = 44.0 * double(rows);
  size.threads = 2;
  return size;
}

GridRows<float> normal_rows(Threads& threads, std::size_t n, std::vector<float>& x) {
  x.resize(n * 2);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(normal(1, Draw::sample, i, 0));
  RowBlock<float> block;
  block.rows = n;
  block.cols = block.stride = 2;
  block.values = x.data();
  GridRows<float> rows;
  rows.add(threads, block);
  return rows;
}

TEST(GridMemory, GrowsWithGridsBinsOutputsAndBatch) {
  const GridSize size = size_of(300000, 50, 80000);
  const double total = grid_fit_memory(size, 10).total();
  EXPECT_GT(grid_fit_memory(size_of(300000, 60, 80000), 10).total(), total);
  EXPECT_GT(grid_fit_memory(size_of(300000, 50, 90000), 10).total(), total);
  GridSize classes = size;
  classes.outputs = 7;
  EXPECT_GT(grid_fit_memory(classes, 10).total(), total);
  EXPECT_GE(grid_fit_memory(size, 50).total(), total);
  for (int at_once = 1; at_once < 8; ++at_once)
    EXPECT_GT(grid_search_memory(size, at_once + 1).total(), grid_search_memory(size, at_once).total());
}

TEST(GridMemory, HoldsAtLeastWhatIsSaved) {
  for (const std::size_t outputs : {1, 7}) {
    GridSize size = size_of(300000, 50, 80000);
    size.outputs = outputs;
    const double file = 50 * 80000.0 * (8 + 4 * double(outputs));
    EXPECT_GT(grid_fit_memory(size, 1).total(), 2 * file);
    EXPECT_LT(grid_fit_memory(size, 1).total(), 5 * file + 100 * kMega);
  }
}

// The plan's count of the bins of a few grids stands for all of them.
TEST(GridMemory, CountedBinsAreThoseOfAllGrids) {
  Threads threads(2);
  std::vector<float> x;
  const GridRows<float> rows = normal_rows(threads, 20000, x);
  for (const char* law : {"hat", "laplacian"}) {
    BinningOptions binning;
    binning.law = parse_pitch_law(law);
    binning.length_scales = {0.05};
    binning.grids = 60;
    double all = 0;
    for (const OccupiedBins& bins : bin_rows(threads, rows, binning, {}).grids) all += double(bins.size()) / 60;
    const double counted = count_bins(threads, rows, binning);
    EXPECT_GT(counted, 0.8 * all) << law;
    EXPECT_LT(counted, 2 * all) << law;
    binning.max_bins = 100;
    EXPECT_EQ(count_bins(threads, rows, binning), 100);
    binning.max_bins = 0;
    binning.grids = 3;  // each of them
    all = 0;
    for (const OccupiedBins& bins : bin_rows(threads, rows, binning, {}).grids) all += double(bins.size()) / 3;
    EXPECT_NEAR(count_bins(threads, rows, binning), all, 1e-9 * all);
  }
}

TEST(GridMemory, PackedRowsAreCounted) {
  Threads threads(1);
  std::vector<float> x;
  const GridRows<float> rows = normal_rows(threads, 8192, x);
  EXPECT_GE(packed_bytes(rows), 8192 * 2 * 4);
  EXPECT_LT(packed_bytes(rows), 8192 * 2 * 4 * 1.1);
}

TEST(GridMemory, RoomDecidesHowManyGridsAreBinnedAtATime) {
  const GridSize size = size_of(300000, 50, 1000);
  const double one = grid_fit_memory(size, 1).total(), all = grid_fit_memory(size, 50).total();
  ASSERT_LT(one + 20 * kMega, all);
  EXPECT_EQ(plan_grid_fit(size, {all, {}, {}}).columns, 50u * 300000 * 4);
  const GridShares some = plan_grid_fit(size, {(one + all) / 2, {}, {}});
  EXPECT_GE(some.columns, 300000u * 4);
  EXPECT_LT(some.columns, 50u * 300000 * 4);
  EXPECT_EQ(plan_grid_fit(size, {one, {}, {}}).columns, 300000u * 4);
  // What else is wanted gets the rest, at most half of what is free where that is short.
  const GridShares shared = plan_grid_fit(size, {all, {}, {}}, {}, 1e12);
  EXPECT_GT(double(shared.wanted), 0.4 * (all - one));
  EXPECT_GT(shared.columns, 300000u * 4);
  EXPECT_LE(double(shared.wanted + shared.columns), all - one + 300000.0 * 4 + 1);
}

TEST(GridMemory, TheGridsThatARefusalNamesFitAndOneMoreDoesNot) {
  const GridSize size = size_of(300000, 200, 80000);
  MemoryBudget budget;
  budget.around.add("program", 30 * kMega);
  budget.bytes = grid_fit_memory(size, 1).total() / 3;
  std::string refusal;
  try {
    plan_grid_fit(size, budget);
  } catch (const std::invalid_argument& e) {
    refusal = e.what();
  }
  std::smatch found;
  ASSERT_TRUE(std::regex_search(refusal, found, std::regex("largest number that fits is (\\d+)"))) << refusal;
  GridSize smaller = size;
  smaller.grids = std::stoul(found[1]);
  std::vector<std::string> said;
  budget.say = [&](const std::string& text) { said.push_back(text); };
  plan_grid_fit(smaller, budget);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("program 30M"), std::string::npos) << said[0];
  ++smaller.grids;
  EXPECT_THROW(plan_grid_fit(smaller, budget), std::invalid_argument);
}

TEST(GridMemory, ASearchGoesOnWithFewerFitsAtATime) {
  GridSize size = size_of(300000, 50, 0);
  size.threads = 8;
  const double one = grid_search_memory(size, 1).total(), three = grid_search_memory(size, 3).total();
  EXPECT_EQ(plan_grid_search(size, {2 * grid_search_memory(size, 8).total(), {}, {}}), 8);
  EXPECT_EQ(plan_grid_search(size, {three, {}, {}}), 3);
  EXPECT_EQ(plan_grid_search(size, {one, {}, {}}), 1);
  EXPECT_THROW(plan_grid_search(size, {one * 0.9, {}, {}}), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
