// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "choose/bandwidth_search.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numeric>

#include "bochner/model.h"
#include "bochner/rows.h"
#include "bochner/train.h"
#include "choose/problem.h"
#include "random/draw.h"

namespace bochner {
namespace {

// Two of four inputs matter. As many features as rows: the loss has several minima, in the bandwidth and in lambda.
Report trained(std::size_t n, std::uint64_t seed, const Bandwidth& bandwidth, std::size_t features, int threads = 2) {
  Matrix<double> x(n, 4), y(n, 1);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < 4; ++j) x(i, j) = normal(seed, Draw::sample, i, j);
    y(i, 0) = std::sin(2 * x(i, 0)) + x(i, 1) * x(i, 1) + 0.1 * normal(seed, Draw::holdout, i);
  }
  Schema schema;
  schema.inputs = 4;
  schema.targets = 1;
  schema.task = Task::regression;
  const auto rows = memory_rows<double>(x.view(), y.view(), schema);
  return train(*rows, {.bandwidth = bandwidth, .features = features, .execution = {.threads = threads}}).report();
}

TEST(BandwidthSearch, IsNeverWorseThanTheMedianByTheScoreThatIsPrinted) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed)
    for (const std::size_t features : {64, 256}) {
      const double searched = *trained(200, seed, Bandwidth::Rule::searched, features).score->r2;
      EXPECT_GE(searched, *trained(200, seed, Bandwidth::Rule::median, features).score->r2) << "seed " << seed;
      if (seed == 1) {
        EXPECT_GT(*trained(200, seed, Bandwidth::Rule::searched_per_input, features).score->r2, searched - 0.01);
      }
    }
}

TEST(BandwidthSearch, IsTheSameForAnyThreads) {
  for (const std::size_t rows : {150, 3000}) {  // left one out, cross-validated
    const Report one = trained(rows, 1, Bandwidth::Rule::searched, 512, 1);
    for (const int threads : {2, 3}) {
      const Report other = trained(rows, 1, Bandwidth::Rule::searched, 512, threads);
      EXPECT_EQ(one.notes, other.notes);
      EXPECT_EQ(one.score->r2, other.score->r2);
    }
  }
}

TEST(BandwidthSearch, CoarseTrialsTakeLessThanHalfTheWorkAndFindAsGoodAValley) {
  Problem problem(150);
  const SampleTrial trial(problem.schema, problem.survey(), nullptr, problem.threads, nullptr, {1e-4});
  std::vector<std::size_t> all(trial.rows());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const SampleTrial coarse(trial, all);
  std::atomic<int> pieces = 0;
  problem.threads.stop_when([&] { return ++pieces, false; });
  const auto searched = [&](const SampleTrial& by) {
    pieces = 0;
    const double loss = search_bandwidth(by, gaussian(2), 64, 3).loss;
    return std::pair(loss, pieces.load());
  };
  const auto [best, work] = searched(trial);
  const auto [found, less] = searched(coarse);
  EXPECT_LT(2 * less, work);
  EXPECT_LT(found, 1.2 * best);
}

}  // namespace
}  // namespace bochner
