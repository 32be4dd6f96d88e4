// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/radial.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bochner/error.h"
#include "maps/apply.h"
#include "maps/load.h"
#include "methods/automatic/twofold.h"
#include "random/draw.h"

namespace bochner {
namespace {

Matrix<float> points(std::size_t rows, std::size_t inputs, std::uint64_t seed) {
  Matrix<float> x(rows, inputs);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < inputs; ++j) x(i, j) = float(normal(seed, Draw::sample, i, j));
  return x;
}

template <class T>
Matrix<T> apply(const Map& map, const Matrix<T>& x) {
  return apply(map, x, cpu_backend());
}

MapPtr saved_and_loaded(const Map& map) {
  Archive archive;
  map.save(archive);
  return load_map(archive);
}

double kernel(const float* x, const float* z, std::size_t inputs, double q) {
  double t = 0;
  for (std::size_t j = 0; j < inputs; ++j) t += (double(x[j]) - z[j]) * (double(x[j]) - z[j]);
  return std::exp(-std::pow(t, q / 2));
}

TEST(RadialMachine, IsTheSumOfItsLandmarksAndSurvivesItsFile) {
  const std::size_t m = 300, d = 7, c = 3;
  const Matrix<float> z = points(m, d, 1), x = points(50, d, 2);
  Matrix<double> coefficients(m, c);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t k = 0; k < c; ++k) coefficients(i, k) = normal(3, Draw::sample, i, k);
  const MapPtr map = radial_machine(z, 1.3, coefficients, {1, 2, 3});
  const Matrix<float> y = apply(*map, x);
  for (std::size_t i = 0; i < 50; ++i)
    for (std::size_t k = 0; k < c; ++k) {
      double expected = double(k + 1);
      for (std::size_t j = 0; j < m; ++j) expected += kernel(&x(i, 0), &z(j, 0), d, 1.3) * coefficients(j, k);
      EXPECT_NEAR(y(i, k), expected, 1e-4);
    }
  EXPECT_EQ(apply(*saved_and_loaded(*map), x), y);
}

LeafTree one_split(std::size_t rows, std::size_t d) {
  LeafTree tree;
  tree.nodes.push_back({std::vector<double>(d, 0.0), 0.1, -1, -2});
  tree.nodes[0].direction[0] = 1;
  tree.leaves = {{}, {}};
  for (std::uint32_t i = 0; i < rows; ++i) tree.leaves[i % 2].push_back(i);
  for (const auto& leaf : tree.leaves) {
    Matrix<double> c(leaf.size(), 1);
    for (std::size_t i = 0; i < leaf.size(); ++i) c(i, 0) = normal(9, Draw::sample, leaf[i]);
    tree.coefficients.push_back(c);
  }
  return tree;
}

TEST(LeafMachines, ARowMeetsThePointsOfItsLeafAlone) {
  const std::size_t n = 90, d = 4;
  const Matrix<float> z = points(n, d, 5), x = points(40, d, 6);
  const LeafTree tree = one_split(n, d);
  const MapPtr map = leaf_machines(z, 0.8, {tree, tree});
  const Matrix<float> y = apply(*map, x);
  for (std::size_t i = 0; i < 40; ++i) {
    const std::size_t leaf = x(i, 0) <= 0.1f ? 0 : 1;
    double expected = 0;
    for (std::size_t j = 0; j < tree.leaves[leaf].size(); ++j)
      expected += 2 * kernel(&x(i, 0), &z(tree.leaves[leaf][j], 0), d, 0.8) * tree.coefficients[leaf](j, 0);
    EXPECT_NEAR(y(i, 0), expected, 1e-4);
  }
  EXPECT_EQ(apply(*saved_and_loaded(*map), x), y);
  Matrix<float> one(1, d);  // alone, a row gets the same bits
  std::copy_n(&x(17, 0), d, one.data());
  EXPECT_EQ(apply(*map, one)(0, 0), y(17, 0));
}

TEST(LeafMachines, ABrokenTreeIsRefused) {
  LeafTree tree = one_split(10, 4);
  tree.nodes[0].below = 0;  // a circle
  EXPECT_THROW(leaf_machines(points(10, 4, 1), 1, {tree}), std::invalid_argument);
  tree = one_split(10, 4);
  tree.leaves[0][0] = 10;
  EXPECT_THROW(leaf_machines(points(10, 4, 1), 1, {tree}), std::invalid_argument);
  EXPECT_THROW(radial_machine(points(3, 2, 1), 2.1, Matrix<double>(3, 1), {0}), std::invalid_argument);
}

TEST(Twofold, NumbersComeBySizeAndRankAndIndicatorsOnce) {
  const MapPtr map = twofold({twofold_column({1, 2, 2, 3, 100}), twofold_column({7, 7, 7}), twofold_column({4, 6, 4})});
  ASSERT_EQ(map->outputs(), 3u);
  Matrix<double> x(4, 3);
  const double numbers[] = {2, 1, 2.5, 1e9};
  for (std::size_t i = 0; i < 4; ++i) {
    x(i, 0) = numbers[i];
    x(i, 1) = 1234;
    x(i, 2) = i % 2 ? 4 : 6;
  }
  const Matrix<double> y = apply(*map, x);
  EXPECT_EQ(y(0, 0), 0);                                     // the median
  EXPECT_DOUBLE_EQ(y(0, 1), (0.4 - 0.5) * std::sqrt(12.0));  // amid its equals
  EXPECT_DOUBLE_EQ(y(1, 1), (0.1 - 0.5) * std::sqrt(12.0));
  EXPECT_DOUBLE_EQ(y(2, 1), (0.55 - 0.5) * std::sqrt(12.0));  // half way between 2 and 3
  EXPECT_NEAR(y(3, 0), 5, 1e-6);                              // bent
  EXPECT_DOUBLE_EQ(y(3, 1), (0.9 - 0.5) * std::sqrt(12.0));   // level beyond the last
  EXPECT_EQ(y(0, 2), 1);
  EXPECT_EQ(y(1, 2), 0);
  EXPECT_EQ(apply(*saved_and_loaded(*map), x), y);
  EXPECT_THROW(twofold({twofold_column({7, 7})}), std::invalid_argument);
}

TEST(Twofold, DatesComeAlsoByWeekdaySeasonAndTime) {
  // 2024-03-31 is day 19813 since 1970 and a Sunday; inputs count from day 19000 on, in halves of days.
  std::vector<double> days;
  for (int i = 0; i < 1000; ++i) days.push_back(400 + i / 2.0);
  const TwofoldColumn column = date_column(days, 19000);
  EXPECT_EQ(column.cycles, (std::vector<double>{7, 365.2425, 1}));
  EXPECT_EQ(cycles_text(column), "its day of the week, its season, its time of day");
  const MapPtr map = twofold({column});
  ASSERT_EQ(map->outputs(), 8u);
  Matrix<double> x(5, 1);
  const double inputs[] = {813, 820, 813.5, 813 + 365.2425 * 7, 814};
  for (std::size_t i = 0; i < 5; ++i) x(i, 0) = inputs[i];
  const Matrix<double> y = apply(*map, x);
  for (std::size_t k : {2, 3}) {
    EXPECT_NEAR(y(1, k), y(0, k), 1e-12);  // a week later
    EXPECT_EQ(y(2, k), y(0, k));           // later that day
    EXPECT_GT(std::abs(y(4, 2) - y(0, 2)) + std::abs(y(4, 3) - y(0, 3)), 0.5);
  }
  const double turns = 19813.0 / 7;
  EXPECT_NEAR(y(0, 2), std::sqrt(2.0) * std::cos(2 * M_PI * turns), 1e-9);
  EXPECT_NEAR(y(0, 3), std::sqrt(2.0) * std::sin(2 * M_PI * turns), 1e-9);
  for (std::size_t k : {4, 5}) EXPECT_NEAR(y(3, k), y(0, k), 0.03);  // seven years later
  EXPECT_NEAR(y(0, 6), std::sqrt(2.0), 1e-12);                       // midnight
  EXPECT_NEAR(y(2, 6), -std::sqrt(2.0), 1e-12);                      // noon
  x(0, 0) = days.back();
  EXPECT_EQ(apply(*map, x)(0, 0), y(3, 0));  // no farther than the last date
  EXPECT_EQ(apply(*saved_and_loaded(*map), x), apply(*map, x));

  EXPECT_EQ(date_column({1, 2, 3, 4}, 0).cycles, std::vector<double>());  // less than two weeks
  EXPECT_EQ(date_column({1, 2, 3, 40}, 0).cycles, std::vector<double>{7});
  TwofoldColumn bad = column;
  bad.cycles[0] = 0;
  EXPECT_THROW(twofold({bad}), std::invalid_argument);
  x(0, 0) = 1e300;
  for (std::size_t k = 0; k < 8; ++k) EXPECT_TRUE(std::isfinite(apply(*map, x)(0, k)));
}

TEST(Twofold, SparseRowsAreTheSame) {
  const MapPtr map = twofold({twofold_column({-1, 0, 1, 5}), twofold_column({0, 1}), twofold_column({1, 2, 3})});
  const std::vector<float> values = {5, 1, 2};
  const std::vector<std::size_t> offsets = {0, 1, 3};
  const std::vector<std::uint32_t> columns = {0, 1, 2};
  RowBlock<float> block;
  block.rows = 2;
  block.cols = 3;
  block.values = values.data();
  block.offsets = offsets.data();
  block.columns = columns.data();
  Matrix<float> sparse(2, map->outputs()), dense(2, 3);
  map->apply(cpu_backend(), block, sparse.view());
  dense(0, 0) = 5;
  dense(1, 1) = 1;
  dense(1, 2) = 2;
  EXPECT_EQ(sparse, apply(*map, dense));
}

}  // namespace
}  // namespace bochner
