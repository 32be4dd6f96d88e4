// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/embeddings/exchange.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "bochner/archive.h"
#include "methods/embeddings/block_counts.h"
#include "methods/embeddings/block_sums.h"
#include "random/draw.h"
#include "run/compute.h"

namespace bochner {
namespace {

TEST(Shuffle, IsAnOrderOfTheNumbers) {
  for (const std::uint64_t count : {1u, 2u, 3u, 5u, 64u, 1000u, 4097u}) {
    const Shuffle shuffle(count, 7, 0);
    std::set<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < count; ++i) seen.insert(shuffle(i));
    EXPECT_EQ(seen.size(), count);
    EXPECT_LT(*seen.rbegin(), count);
  }
}

TEST(Shuffle, ScattersNeighbours) {
  const Shuffle shuffle(10000, 3, 1);
  double mean = 0;
  for (std::uint64_t i = 0; i < 5000; ++i) mean += double(shuffle(i)) / 5000;
  EXPECT_NEAR(mean, 5000, 4 * 10000 / std::sqrt(12 * 5000.0));  // four standard errors
}

TEST(RowBlocks, AreOfEqualSize) {
  const RowBlocks blocks(1000, 9, 110, 5, 0);
  std::vector<std::size_t> rows(9);
  std::size_t none = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const auto at = blocks.of(i);
    if (at.block == RowBlocks::kNone)
      ++none;
    else
      ++rows[at.block];
  }
  EXPECT_EQ(none, 10u);
  for (const std::size_t count : rows) EXPECT_EQ(count, 110u);
}

struct Folded {
  std::vector<float> z;
  std::size_t rows = 3000, cols = 70;
  Threads threads{2};
  Workers on = workers_on(threads);
  std::shared_ptr<const RowBlocks> blocks = std::make_shared<RowBlocks>(3000, 40, 70, 1, 0);

  Folded() {
    for (std::size_t i = 0; i < rows * cols; ++i) z.push_back(float(2 * uniform(2, Draw::entry, i) - 1));
  }
  RowBlock<float> part(std::size_t begin, std::size_t count) const {
    return RowBlock<float>::dense(MatrixView<const float>{z.data() + begin * cols, count, cols, cols}, begin);
  }
};

TEST(BlockSums, AreTheSumsOfTheirRows) {
  Folded f;
  BlockSums sums(f.blocks, f.cols, 1.0);
  sums.add(f.on, f.part(0, f.rows));
  Matrix<double> naive(40, f.cols);
  std::vector<double> rest(f.cols);
  for (std::size_t i = 0; i < f.rows; ++i)
    for (std::size_t j = 0; j < f.cols; ++j) {
      const auto at = f.blocks->of(i);
      (at.block == RowBlocks::kNone ? rest[j] : naive(at.block, j)) += double(f.z[i * f.cols + j]);
    }
  for (std::size_t j = 0; j < f.cols; ++j) {
    EXPECT_NEAR(double(sums.rest()[j]) * sums.unit(), rest[j], 200 * sums.unit());
    for (std::size_t b = 0; b < 40; ++b)
      EXPECT_NEAR(double(sums.sums()(b, j)) * sums.unit(), naive(b, j), 70 * sums.unit());
  }
}

template <class Make>
void expect_merging_is_exact(Folded& f, const Make& make) {
  auto all = make();
  all.add(f.on, f.part(0, f.rows));
  const std::size_t edges[] = {0, 1024, 1100, 2500, f.rows};
  for (const auto& order : {std::vector<int>{0, 1, 2, 3}, {3, 1, 0, 2}}) {
    auto merged = make();
    for (const int k : order) {
      auto part = make();
      part.add(f.on, f.part(edges[k], edges[k + 1] - edges[k]));
      Archive archive;
      part.save(archive);
      auto again = make();
      again.load(archive);
      merged.merge(again);
    }
    EXPECT_TRUE(merged == all);
  }
}

TEST(BlockSums, MergeInAnyOrderToTheSameBits) {
  Folded f;
  expect_merging_is_exact(f, [&] { return BlockSums(f.blocks, f.cols, 1.0); });
}

TEST(BlockCounts, MergeInAnyOrderToTheSameCounts) {
  Folded f;
  ColumnBins bins;
  bins.add({.input = 0, .edges = {-0.5f, 0.0f, 0.5f}});
  bins.add({.input = 3, .edges = {0.25f}});
  const auto shared = std::make_shared<const ColumnBins>(bins);
  expect_merging_is_exact(f, [&] { return BlockCounts(f.blocks, shared); });
  BlockCounts counts(f.blocks, shared);
  counts.add(f.on, f.part(0, f.rows));
  std::int64_t below = counts.rest()[4], all = counts.rest()[4] + counts.rest()[5];
  for (std::size_t b = 0; b < 40; ++b)
    below += counts.counts()(b, 4), all += counts.counts()(b, 4) + counts.counts()(b, 5);
  std::int64_t naive = 0;
  for (std::size_t i = 0; i < f.rows; ++i) naive += f.z[i * f.cols + 3] < 0.25f;
  EXPECT_EQ(below, naive);
  EXPECT_EQ(all, std::int64_t(f.rows));
}

TEST(Exchange, PlansBlocksOfEqualSizeForAnySizes) {
  for (const std::uint64_t n : {2u, 3u, 50u, 1000u, 100000u})
    for (const std::uint64_t m : {2u, 70u, 5000u, 3000000u}) {
      const ExchangePlan plan = plan_exchange(n, m, 4096);
      EXPECT_GE(plan.blocks[0], 1u);
      EXPECT_GE(plan.blocks[1], 1u);
      EXPECT_LE(plan.all_blocks(), 4096u);
      EXPECT_LE(plan.blocks[0] * plan.block_rows, n);
      EXPECT_LE(plan.blocks[1] * plan.block_rows, m);
      if (std::min(n, m) >= 64) {
        EXPECT_GE(std::min(plan.blocks[0], plan.blocks[1]), 64u);
      }
      if (n + m <= 4096) {
        EXPECT_EQ(plan.all_blocks(), n + m);
      }
    }
}

TEST(Exchange, SumsAreThoseOfTheExchangedBlocks) {
  Threads threads(2);
  const ExchangePlan plan = plan_exchange(10, 14, 4096);
  const Matrix<double> exchanges = draw_exchanges(plan, 20, 3);
  const auto value = [](std::size_t b, std::size_t j) { return uniform(1, Draw::entry, b, j); };
  const BlockTable table{300, value, [](int s, std::size_t j) { return s + 0.5 * double(j); }};
  const std::size_t edges[] = {0, 100, 300};
  std::size_t seen = 0;
  exchanged_sums(workers_on(threads), plan, exchanges.view(), table, edges,
                 [&](std::size_t begin, MatrixView<const double> sums) {
                   seen += sums.cols;
                   for (std::size_t p = 0; p < sums.rows; ++p)
                     for (std::size_t j = 0; j < sums.cols; ++j) {
                       double mine = table.rest(0, begin + j), all = mine + table.rest(1, begin + j);
                       for (std::size_t b = 0; b < 24; ++b) {
                         all += value(b, begin + j);
                         mine += exchanges(p, b) * value(b, begin + j);
                       }
                       EXPECT_NEAR(sums(p, j), mine - all * 10 / 24, 1e-9);
                     }
                 });
  EXPECT_EQ(seen, 300u);
  for (std::size_t p = 0; p < 21; ++p) {
    double moved = 0;
    for (std::size_t b = 0; b < 24; ++b) moved += exchanges(p, b);
    EXPECT_EQ(moved, 10);
  }
}

// Where nothing differs, p <= a has probability a: of normal scores, fused and corrected alike.
TEST(Exchange, PValuesAreUniformUnderTheNull) {
  const std::size_t runs = 2000, permutations = 99, several = 3;
  double fused_hits = 0, any_hits = 0;
  for (std::size_t run = 0; run < runs; ++run) {
    Matrix<double> scores(permutations + 1, several);
    for (std::size_t h = 0; h < several; ++h) {
      std::vector<double> statistics;
      for (std::size_t p = 0; p <= permutations; ++p) {
        double sum = 0;
        for (std::size_t k = 0; k <= h * 5; ++k) sum += std::pow(normal(run, Draw::entry, p, k, h), 2);
        statistics.push_back(sum);
      }
      const std::vector<double> normal = normal_scores(statistics);
      for (std::size_t p = 0; p <= permutations; ++p) scores(p, h) = normal[p];
    }
    fused_hits += permutation_p_value(fused(scores.view())) <= 0.05;
    const std::vector<double> corrected = corrected_p_values(scores.view());
    any_hits += *std::min_element(corrected.begin(), corrected.end()) <= 0.05;
  }
  const double error = std::sqrt(0.05 * 0.95 / double(runs));
  EXPECT_NEAR(fused_hits / double(runs), 0.05, 3 * error);
  EXPECT_NEAR(any_hits / double(runs), 0.05, 3 * error);
}

TEST(Exchange, CorrectedPValuesAreNotBelowTheirOwnAndAHugeOneHidesNone) {
  Matrix<double> scores(200, 3);
  for (std::size_t p = 0; p < 200; ++p)
    for (std::size_t h = 0; h < 3; ++h) scores(p, h) = normal(1, Draw::entry, p, h);
  scores(0, 1) = 50;
  scores(0, 2) = 6;
  const std::vector<double> corrected = corrected_p_values(scores.view());
  EXPECT_EQ(corrected[1], 1.0 / 200);
  EXPECT_EQ(corrected[2], 1.0 / 200);
  std::vector<double> alone;
  for (std::size_t p = 0; p < 200; ++p) alone.push_back(scores(p, 0));
  EXPECT_GE(corrected[0], permutation_p_value(alone));
}

TEST(Exchange, ScoresOfEqualStatisticsAreEqual) {
  const std::vector<double> same(100, 0.25), none(100, 0.0);
  EXPECT_EQ(permutation_p_value(normal_scores(same)), 1);
  EXPECT_EQ(permutation_p_value(normal_scores(none)), 1);
}

}  // namespace
}  // namespace bochner
