// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// The sums of k-means against plain loops in double.

#include "methods/clusters/lloyd.h"

#include <gtest/gtest.h>

#include <cmath>

#include "random/draw.h"
#include "run/compute.h"

namespace bochner {
namespace {

constexpr std::size_t kRows = 1500, kCols = 13, kClusters = 19;

struct Problem {
  Matrix<double> x{kRows, kCols}, centres{kClusters, kCols};
  std::vector<double> weights;

  Problem() {
    for (std::size_t i = 0; i < kRows; ++i) {
      weights.push_back(i % 7 == 0 ? 0 : 0.5 + uniform(1, Draw::frequency, i));
      for (std::size_t j = 0; j < kCols; ++j) x(i, j) = normal(2, Draw::frequency, i, j);
    }
    for (std::size_t c = 0; c < kClusters; ++c)
      for (std::size_t j = 0; j < kCols; ++j) centres(c, j) = normal(3, Draw::frequency, c, j);
  }
  double distance(std::size_t i, std::size_t c) const {
    double sum = 0;
    for (std::size_t j = 0; j < kCols; ++j) sum += (x(i, j) - centres(c, j)) * (x(i, j) - centres(c, j));
    return sum;
  }
  std::size_t nearest(std::size_t i) const {
    std::size_t best = 0;
    for (std::size_t c = 1; c < kClusters; ++c)
      if (distance(i, c) < distance(i, best)) best = c;
    return best;
  }
  RowBlock<double> rows() const {
    auto block = RowBlock<double>::dense(x.view());
    block.weights = weights.data();
    return block;
  }
};

TEST(LloydFold, SumsAreThoseOfThePlainLoops) {
  const Problem p;
  const auto centres = std::make_shared<const Centres>(p.centres);
  LloydFold sums(centres, {.bound = 8, .weight_bound = 2});
  Threads threads(2);
  sums.add(workers_on(threads), p.rows());
  Matrix<double> expected(kClusters, kCols);
  std::vector<double> weights(kClusters);
  double inertia = 0;
  for (std::size_t i = 0; i < kRows; ++i) {
    const std::size_t c = p.nearest(i);
    weights[c] += p.weights[i];
    inertia += p.weights[i] * p.distance(i, c);
    for (std::size_t j = 0; j < kCols; ++j) expected(c, j) += p.weights[i] * p.x(i, j);
  }
  for (std::size_t c = 0; c < kClusters; ++c) {
    EXPECT_NEAR(sums.weights()[c], weights[c], 1e-6);
    for (std::size_t j = 0; j < kCols; ++j) EXPECT_NEAR(sums.sums()(c, j), expected(c, j), 1e-5);
  }
  EXPECT_NEAR(sums.inertia(*centres), inertia, 1e-6 * inertia);
}

// Rows of zeros are, say, one row about its mean. Converted from what is not a number, the sums would be another number
// on each computer.
TEST(LloydFold, RowsOfZerosHaveSumsOfZero) {
  const Matrix<double> x(3, 2);
  LloydFold sums(std::make_shared<const Centres>(Matrix<double>(1, 2)), {.bound = 0});
  Threads threads(1);
  sums.add(workers_on(threads), RowBlock<double>::dense(x.view()));
  const Matrix<double> found = sums.sums();
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_EQ(found(0, j), 0);
    EXPECT_FALSE(std::signbit(found(0, j)));
  }
  EXPECT_EQ(sums.weights()[0], 3);
  EXPECT_EQ(sums.inertia(Centres(Matrix<double>(1, 2))), 0);
}

TEST(LloydFold, RowsThatMoveForthAndBackLeaveNoTrace) {
  const Problem p;
  const auto centres = std::make_shared<const Centres>(p.centres);
  LloydFold sums(centres, {.bound = 8, .weight_bound = 2});
  Threads threads(2);
  sums.add(workers_on(threads), p.rows());
  const LloydFold before = sums;
  std::vector<Move<double>> forth, back;
  for (std::size_t i = 0; i < kRows; ++i) {
    const auto from = std::uint32_t(p.nearest(i)), to = std::uint32_t(i % kClusters);
    forth.push_back({&p.x(i, 0), p.weights[i], from, to});
    back.push_back({&p.x(i, 0), p.weights[i], to, from});
  }
  sums.move<double>(threads, forth);
  EXPECT_FALSE(sums == before);
  sums.move<double>(threads, back);
  EXPECT_TRUE(sums == before);
}

}  // namespace
}  // namespace bochner
