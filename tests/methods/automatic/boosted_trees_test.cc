// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/boosted_trees.h"

#include <gtest/gtest.h>

#include <cmath>

#include "maps/load.h"
#include "random/draw.h"

namespace bochner {
namespace {

struct Data {
  explicit Data(std::size_t n, std::size_t targets = 1) : x(n, 4), y(n, targets) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < 4; ++j) x(i, j) = float(uniform(1, Draw::sample, i, j));
      y(i, 0) = (x(i, 0) > 0.3f ? 2 : 0) + (x(i, 1) > 0.5f && x(i, 2) > 0.6f ? 1 : 0);
      for (std::size_t k = 1; k < targets; ++k) y(i, k) = -y(i, 0) * double(k);
      (i % 5 == 0 ? judged : fitted).push_back(std::uint32_t(i));
    }
  }
  BoostingRows rows() const { return {{x.view(), y.view(), weights}, fitted, judged, inputs}; }

  Matrix<float> x;
  Matrix<double> y;
  std::vector<double> weights;
  std::vector<std::uint32_t> fitted, judged, inputs = {0, 1, 2, 3};
};

BoostedTrees boosted(const Data& data, int count, const BoostingOptions& options = {}) {
  Threads threads(count);
  return boost_trees({cpu_backend(), threads}, data.rows(), options);
}

Matrix<double> predicted(const BoostedTrees& trees, const Data& data) {
  Threads threads(1);
  return predict_rows({cpu_backend(), threads}, *trees.map(4), data.x.view());
}

TEST(BoostedTrees, FindThresholds) {
  const Data data(3000, 2);
  const BoostedTrees trees = boosted(data, 2);
  const Matrix<double> found = predicted(trees, data);
  double error = 0;
  for (std::size_t p = 0; p < data.judged.size(); ++p)
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(found(data.judged[p], k), trees.judged(p, k), 1e-5);  // served as they were judged
      error += std::pow(found(data.judged[p], k) - data.y(data.judged[p], k), 2) / double(data.judged.size());
    }
  EXPECT_LT(error, 0.02);  // the variance is 2; rows within a bin of a threshold err
  std::vector<std::size_t> uses(4, 0);
  for (const InputTree& tree : trees.trees)
    if (!tree.nodes.empty()) ++uses[tree.nodes[0].input];
  EXPECT_GT(uses[0], uses[3]);
}

// The exclusive or of three thresholds: no single split gains, and the leaves of a level must split alike.
TEST(BoostedTrees, SymmetricOnesSplitAllLeavesOfALevelAlike) {
  Data data(4000);
  for (std::size_t i = 0; i < 4000; ++i)
    data.y(i, 0) = ((data.x(i, 0) > 0.5f) != (data.x(i, 1) > 0.4f)) != (data.x(i, 2) > 0.6f) ? 1 : -1;
  BoostingOptions options;
  options.levels = 5;
  options.leaves = 32;
  options.rounds = 150;
  options.rate = 0.1;
  const BoostedTrees trees = boosted(data, 2, options), same = boosted(data, 1, options);
  const Matrix<double> found = predicted(trees, data), again = predicted(same, data);
  double error = 0;
  for (std::size_t p = 0; p < data.judged.size(); ++p) {
    EXPECT_NEAR(found(data.judged[p], 0), trees.judged(p, 0), 1e-5);
    EXPECT_EQ(found(data.judged[p], 0), again(data.judged[p], 0));
    error += std::pow(found(data.judged[p], 0) - data.y(data.judged[p], 0), 2) / double(data.judged.size());
  }
  EXPECT_LT(error, 0.15);
  ASSERT_GT(trees.trees.size(), 10u);
  for (const InputTree& tree : trees.trees) {
    ASSERT_EQ(tree.nodes.size(), 31u);
    ASSERT_EQ(tree.leaves.rows(), 32u);
    for (std::size_t level = 0, first = 0; level < 5; first += std::size_t(1) << level++)
      for (std::size_t n = first; n < first + (std::size_t(1) << level); ++n) {
        EXPECT_EQ(tree.nodes[n].input, tree.nodes[first].input);
        EXPECT_EQ(tree.nodes[n].threshold, tree.nodes[first].threshold);
      }
  }
}

TEST(BoostedTrees, KeepTheirBitsForAnyThreads) {
  const Data data(1500);
  const BoostedTrees one = boosted(data, 1), two = boosted(data, 3);
  ASSERT_EQ(one.trees.size(), two.trees.size());
  EXPECT_EQ(one.judged, two.judged);
  for (std::size_t t = 0; t < one.trees.size(); ++t) EXPECT_EQ(one.trees[t].leaves, two.trees[t].leaves);
}

TEST(BoostedTrees, NoiseStopsThemAtTheMean) {
  Data data(1000);
  for (std::size_t i = 0; i < 1000; ++i) data.y(i, 0) = normal(4, Draw::sample, i);
  EXPECT_LT(boosted(data, 1).trees.size(), 20u);
}

// What others leave over much less of is not pursued to its end; what comes close is, to the bit.
TEST(BoostedTrees, EndAfterAQuarterOfTheRoundsWhereTheyAreHopeless) {
  const Data data(2000);
  BoostingOptions options;
  options.rounds = 80;
  const BoostedTrees all = boosted(data, 1, options);
  EXPECT_GT(all.trees.size(), 20u);
  const double left = squared_error(data.rows().rows, all.judged, data.judged);
  options.hopeless = left / 2;
  EXPECT_EQ(boosted(data, 1, options).trees.size(), 20u);
  options.hopeless = 1e9;
  const BoostedTrees near = boosted(data, 1, options);
  ASSERT_EQ(near.trees.size(), all.trees.size());
  EXPECT_EQ(squared_error(data.rows().rows, near.judged, data.judged), left);
}

TEST(BoostedTrees, ARowOfWeightTwoCountsAsTwo) {
  Data once(400), twice(400);
  BoostingOptions all;
  all.rounds = 20;
  all.row_share = 2;  // all rows
  all.leaves = 8;     // none so small that cuts tie
  all.least_rows = 1;
  all.ridge = 1e-9;
  for (Data* data : {&once, &twice}) {
    data->judged.clear();
    for (std::size_t i = 0; i < 1600; ++i) data->x.data()[i] = std::round(50 * data->x.data()[i]);  // the same cuts
  }
  once.weights.assign(400, 1.0);
  for (std::size_t p = 0; p < once.fitted.size(); p += 3) once.weights[once.fitted[p]] = 2;
  for (std::size_t p = 0, n = twice.fitted.size(); p < n; p += 3) twice.fitted.push_back(twice.fitted[p]);
  const Matrix<double> a = predicted(boosted(once, 1, all), once), b = predicted(boosted(twice, 1, all), twice);
  for (std::size_t i = 0; i < 400; ++i) EXPECT_NEAR(a(i, 0), b(i, 0), 1e-5);
}

TEST(BoostedTrees, RowsAlikeAreOneLeaf) {
  Data data(300);
  for (std::size_t i = 0; i < 300; ++i)
    for (std::size_t j = 0; j < 4; ++j) data.x(i, j) = 7;
  const BoostedTrees trees = boosted(data, 1);
  for (const InputTree& tree : trees.trees) EXPECT_TRUE(tree.nodes.empty());
}

TEST(TreeSum, IsSavedAndABrokenTreeIsRefused) {
  const Data data(500, 3);
  const BoostedTrees trees = boosted(data, 1);
  Archive archive;
  trees.map(4)->save(archive);
  Threads threads(1);
  EXPECT_EQ(predict_rows({cpu_backend(), threads}, *load_map(archive), data.x.view()), predicted(trees, data));
  InputTree tree;
  tree.nodes = {{0, 0.5f, 0, -1}};  // a circle
  tree.leaves = Matrix<double>(2, 1);
  EXPECT_THROW(tree_sum(1, {tree}, {0}), std::invalid_argument);
  tree.nodes = {{1, 0.5f, -1, -2}};
  EXPECT_THROW(tree_sum(1, {tree}, {0}), std::invalid_argument);
  EXPECT_NO_THROW(tree_sum(2, {tree}, {0}));
  tree.nodes[0].above = -3;
  EXPECT_THROW(tree_sum(2, {tree}, {0}), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
