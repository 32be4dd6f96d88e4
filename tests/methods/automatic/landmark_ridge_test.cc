// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/landmark_ridge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "methods/automatic/leaf_ridge.h"
#include "random/draw.h"

namespace bochner {
namespace {

struct Data {
  explicit Data(std::size_t n, std::size_t d = 3) : u(n, d), y(n, 1), held(n, 0) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < d; ++j) u(i, j) = float(normal(1, Draw::sample, i, j));
      y(i, 0) = std::sin(2.0 * u(i, 0)) + 0.5 * u(i, 1);
      held[i] = i % 7 == 0;
    }
  }
  MetricRows rows() const { return {u.view(), y.view(), weights}; }
  std::vector<std::uint32_t> numbers(char side) const {
    std::vector<std::uint32_t> out;
    for (std::size_t i = 0; i < held.size(); ++i)
      if (held[i] == side) out.push_back(std::uint32_t(i));
    return out;
  }
  Matrix<float> u;
  Matrix<double> y;
  std::vector<double> weights;
  std::vector<char> held;
};

std::vector<std::uint32_t> first(std::size_t count) {
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0u);
  return rows;
}

double kernel(const Data& data, std::size_t i, std::size_t j, double q) {
  double t = 0;
  for (std::size_t k = 0; k < data.u.cols(); ++k)
    t += (double(data.u(i, k)) - data.u(j, k)) * (double(data.u(i, k)) - data.u(j, k));
  return std::exp(-std::pow(std::max(t, 1e-9), q / 2));
}

// a x = b by elimination, a positive definite.
std::vector<double> solved(Matrix<double> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = k + 1; i < n; ++i) {
      const double f = a(i, k) / a(k, k);
      for (std::size_t j = k; j < n; ++j) a(i, j) -= f * a(k, j);
      b[i] -= f * b[k];
    }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a(k, j) * b[j];
    b[k] /= a(k, k);
  }
  return b;
}

TEST(LandmarkRidge, AgreesWithTheNormalEquationsInPlainLoops) {
  const Data data(400);
  const std::size_t M = 30;
  const double q = 1.6, lambda = 1e-4;
  const std::vector<std::uint32_t> fitted = data.numbers(0);
  double mean = 0;
  for (const std::uint32_t i : fitted) mean += data.y(i, 0) / double(fitted.size());
  Matrix<double> A(M, M);
  std::vector<double> b(M, 0.0);
  for (std::size_t r = 0; r < M; ++r)
    for (std::size_t s = 0; s < M; ++s) A(r, s) = lambda * double(fitted.size()) * kernel(data, r, s, q);
  for (const std::uint32_t i : fitted)
    for (std::size_t r = 0; r < M; ++r) {
      b[r] += kernel(data, i, r, q) * (data.y(i, 0) - mean);
      for (std::size_t s = 0; s < M; ++s) A(r, s) += kernel(data, i, r, q) * kernel(data, i, s, q);
    }
  const std::vector<double> alpha = solved(A, b);
  Threads threads(2);
  const Workers on{cpu_backend(), threads};
  const MapPtr map = LandmarkRidge(on, data.rows(), first(M), data.held, q).fit(lambda, false);
  const Matrix<double> found = predict_rows(on, *map, data.u.view());
  for (std::size_t i = 0; i < 400; ++i) {
    double expected = mean;
    for (std::size_t r = 0; r < M; ++r) expected += kernel(data, i, r, q) * alpha[r];
    EXPECT_NEAR(found(i, 0), expected, 1e-4);
  }
}

TEST(LandmarkRidge, KeepsItsBitsForAnyThreads) {
  const Data data(3000);
  Matrix<double> expected;
  for (const int count : {1, 2, 3}) {
    Threads threads(count);
    const Workers on{cpu_backend(), threads};
    const MapPtr map = LandmarkRidge(on, data.rows(), first(300), data.held, 1.6).fit(1e-7, false);
    const Matrix<double> found = predict_rows(on, *map, data.u.view());
    if (count == 1) expected = found;
    EXPECT_EQ(found, expected);
  }
}

TEST(LandmarkRidge, ARefitIsTheFitOfAllRows) {
  Data data(500);
  Threads threads(2);
  const Workers on{cpu_backend(), threads};
  const MapPtr refit = LandmarkRidge(on, data.rows(), first(60), data.held, 1.2).fit(1e-4, true);
  const MapPtr fit = LandmarkRidge(on, data.rows(), first(60), std::vector<char>(500, 0), 1.2).fit(1e-4, false);
  const Matrix<double> a = predict_rows(on, *refit, data.u.view()), b = predict_rows(on, *fit, data.u.view());
  for (std::size_t i = 0; i < 500; ++i) EXPECT_NEAR(a(i, 0), b(i, 0), 1e-5);
}

// A second target, of noise.
Data with_noise(std::size_t n) {
  Data data(n);
  Matrix<double> both(n, 2);
  for (std::size_t i = 0; i < n; ++i) {
    both(i, 0) = data.y(i, 0);
    both(i, 1) = normal(5, Draw::sample, i);
  }
  data.y = std::move(both);
  return data;
}

TEST(LandmarkRidge, EachTargetMayHaveItsOwnLambda) {
  const Data data = with_noise(500);
  Threads threads(2);
  const Workers on{cpu_backend(), threads};
  const LandmarkRidge ridge(on, data.rows(), first(60), data.held, 1.2);
  const Matrix<double> own = predict_rows(on, *ridge.fit(std::vector{1e-6, 1e-1}, true), data.u.view());
  const Matrix<double> little = predict_rows(on, *ridge.fit(1e-6, true), data.u.view());
  const Matrix<double> much = predict_rows(on, *ridge.fit(1e-1, true), data.u.view());
  for (std::size_t i = 0; i < 500; ++i) {
    EXPECT_EQ(own(i, 0), little(i, 0));
    EXPECT_EQ(own(i, 1), much(i, 1));
  }
  EXPECT_NE(little(0, 1), much(0, 1));
}

TEST(LandmarkRidge, ARowOfWeightTwoCountsAsTwo) {
  Data once(200), twice(250);
  once.weights.assign(200, 1.0);
  for (std::size_t i = 150; i < 200; ++i) once.weights[i] = 2;
  for (std::size_t i = 0; i < 250; ++i) {
    const std::size_t from = i < 200 ? i : i - 50;
    std::copy_n(&once.u(from, 0), 3, &twice.u(i, 0));
    twice.y(i, 0) = once.y(from, 0);
  }
  Threads threads(1);
  const Workers on{cpu_backend(), threads};
  const MapPtr a = LandmarkRidge(on, once.rows(), first(50), std::vector<char>(200, 0), 1).fit(1e-3, false);
  const MapPtr b = LandmarkRidge(on, twice.rows(), first(50), std::vector<char>(250, 0), 1).fit(1e-3, false);
  const Matrix<double> of_a = predict_rows(on, *a, once.u.view()), of_b = predict_rows(on, *b, once.u.view());
  for (std::size_t i = 0; i < 200; ++i) EXPECT_NEAR(of_a(i, 0), of_b(i, 0), 1e-5);
}

TEST(LeafRidge, LeavesHoldEveryRowOnceAndSendItHome) {
  const Data data(5000, 4);
  Threads threads(2);
  const Workers on{cpu_backend(), threads};
  LeafOptions options;
  options.leaf_rows = 300;
  for (const LeafTree& tree : grow_leaves(on, data.u.view(), first(5000), options)) {
    std::vector<int> seen(5000, 0);
    for (std::size_t l = 0; l < tree.leaves.size(); ++l) {
      EXPECT_LE(tree.leaves[l].size(), 300u);
      EXPECT_GE(tree.leaves[l].size(), 290u);  // 17 full ones
      for (const std::uint32_t row : tree.leaves[l]) {
        ++seen[row];
        EXPECT_EQ(tree.leaf_of(&data.u(row, 0)), l);
      }
    }
    for (const int count : seen) EXPECT_EQ(count, 1);
  }
}

TEST(LeafRidge, ANodeIsDrawnByItsPlaceInPreorderWhereEqualRowsMakeOtherLeavesToo) {
  Threads threads(2);
  const Workers on{cpu_backend(), threads};
  LeafOptions options;
  options.leaf_rows = 20;
  for (const std::size_t values : {3u, 40u}) {
    Matrix<float> u(4000, 1);
    for (std::size_t i = 0; i < 4000; ++i) u(i, 0) = float(uniform(1, Draw::subset, i) * double(values)) / 8;
    for (std::size_t i = 0; i < 2000; ++i) u(i, 0) = std::floor(u(i, 0));
    const std::vector<LeafTree> trees = grow_leaves(on, u.view(), first(4000), options);
    for (std::size_t t = 0; t < trees.size(); ++t) {
      EXPECT_NE(trees[t].nodes.size(), 199u);                  // as 200 full leaves have
      for (std::size_t k = 0; k < trees[t].nodes.size(); ++k)  // a positive multiple of the draw
        EXPECT_EQ(trees[t].nodes[k].direction[0] > 0, normal(options.seed, Draw::subset, k, 0, t) > 0);
    }
  }
}

TEST(LeafRidge, SolvesTheEquationsOfEachLeafWithTheSameBitsForAnyThreads) {
  const Data data(1000);
  LeafOptions options;
  options.leaf_rows = 150;
  std::vector<LeafTree> expected;
  for (const int count : {1, 2}) {
    Threads threads(count);
    const Workers on{cpu_backend(), threads};
    std::vector<LeafTree> trees = grow_leaves(on, data.u.view(), data.numbers(0), options), anew = trees;
    const double lambda = choose_leaf_lambdas(on, data.rows(), data.numbers(1), 1.5, trees[0], options)[0];
    EXPECT_LT(lambda, 1e-2);                         // there is no noise
    EXPECT_GT(trees[0].coefficients[0].rows(), 0u);  // some were solved on the way
    solve_leaves(on, data.rows(), 1.5, std::vector{lambda}, trees);
    solve_leaves(on, data.rows(), 1.5, std::vector{lambda}, anew);
    EXPECT_EQ(trees[0].coefficients, anew[0].coefficients);
    const std::vector<std::uint32_t>& leaf = trees[1].leaves[2];
    const Matrix<double>& alpha = trees[1].coefficients[2];
    for (std::size_t i = 0; i < leaf.size(); ++i) {  // (K + lambda n) alpha = y, alpha of the mean of two trees
      double sum = 2 * lambda * double(leaf.size()) * alpha(i, 0);
      for (std::size_t j = 0; j < leaf.size(); ++j) sum += 2 * kernel(data, leaf[i], leaf[j], 1.5) * alpha(j, 0);
      EXPECT_NEAR(sum, data.y(leaf[i], 0), 1e-6);
    }
    if (count == 1) expected = trees;
    for (std::size_t l = 0; l < trees[0].leaves.size(); ++l)
      EXPECT_EQ(trees[0].coefficients[l], expected[0].coefficients[l]);
  }
}

TEST(LeafRidge, EachTargetMayHaveItsOwnLambda) {
  const Data data = with_noise(1000);
  Threads threads(2);
  const Workers on{cpu_backend(), threads};
  LeafOptions options;
  options.leaf_rows = 300;
  options.own_lambdas = true;
  std::vector<LeafTree> trees = grow_leaves(on, data.u.view(), data.numbers(0), options);
  const std::vector<double> chosen = choose_leaf_lambdas(on, data.rows(), data.numbers(1), 1.5, trees[0], options);
  EXPECT_LT(chosen[0], 1e-3);
  EXPECT_EQ(chosen[1], 1e-2);
  std::vector<LeafTree> one = trees;
  solve_leaves(on, data.rows(), 1.5, std::vector{chosen[0], 0.0}, trees);
  solve_leaves(on, data.rows(), 1.5, std::vector{chosen[0], chosen[0]}, one);
  for (std::size_t i = 0; i < trees[0].leaves[1].size(); ++i) {
    EXPECT_EQ(trees[0].coefficients[1](i, 0), one[0].coefficients[1](i, 0));
    EXPECT_EQ(trees[0].coefficients[1](i, 1), 0);
    EXPECT_NE(one[0].coefficients[1](i, 1), 0);
  }
}

TEST(LeafRidge, RowsThatAreAllEqualMakeALeaf) {
  Data data(900);
  for (std::size_t i = 0; i < 900; ++i)
    for (std::size_t j = 0; j < 3; ++j) data.u(i, j) = 0.5f;
  Threads threads(1);
  const Workers on{cpu_backend(), threads};
  LeafOptions options;
  options.leaf_rows = 200;
  std::vector<LeafTree> trees = grow_leaves(on, data.u.view(), first(900), options);
  ASSERT_EQ(trees[0].leaves.size(), 1u);
  EXPECT_EQ(trees[0].leaves[0].size(), 200u);
  solve_leaves(on, data.rows(), 1, std::vector{1e-4}, trees);
  for (const double v : {trees[0].coefficients[0](0, 0), trees[1].coefficients[0](7, 0)}) EXPECT_TRUE(std::isfinite(v));
}

}  // namespace
}  // namespace bochner
