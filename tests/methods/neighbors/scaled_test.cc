// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include <limits>

#include "methods/neighbors/neighbors_testing.h"
#include "random/draw.h"
#include "scratch.h"

namespace bochner {
namespace {

Matrix<float> cloud(std::size_t rows, std::size_t inputs, std::uint64_t seed = 1) {
  Matrix<float> x(rows, inputs);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < inputs; ++j) x(i, j) = float(normal(seed, Draw::entry, i, j));
  return x;
}

// Rows and queries of other units go through the scaling, also from a file, and parts of one scaling merge.
TEST(Neighbors, ScalingIsPartOfAnIndex) {
  using Method = ColumnScaling::Method;
  const Matrix<float> x = cloud(120, 3), y = cloud(9, 3, 5);
  const auto in_units = [](const Matrix<float>& of) {
    Matrix<float> z = of;
    for (std::size_t i = 0; i < z.rows(); ++i) z(i, 1) = z(i, 1) * 1024 + 8192;
    return z;
  };
  const auto bring_back = [](double factor) {
    return scaling({{}, {.method = Method::standardize, .center = 8192, .factor = factor}, {}});
  };
  const Matrix<float> wide_x = in_units(x), wide_y = in_units(y);
  const NeighborIndex plain(*rows_of(x));
  NeighborIndex scaled(*rows_of(wide_x), {.scaling = bring_back(1.0 / 1024)});
  const Neighbors expected = plain.query(*rows_of(y), 4);
  EXPECT_EQ(scaled.query(*rows_of(wide_y), 4).rows, expected.rows);
  EXPECT_NE(NeighborIndex(*rows_of(wide_x)).query(*rows_of(wide_y), 4).rows, expected.rows);
  EXPECT_EQ(streamed_neighbors(*rows_of(wide_x), *rows_of(wide_y), 4, {.scaling = bring_back(1.0 / 1024)}).rows,
            expected.rows);
  EXPECT_EQ(neighbor_graph(*rows_of(wide_x), 3, {.scaling = bring_back(1.0 / 1024)}).rows,
            neighbor_graph(*rows_of(x), 3).rows);
  testing_files::Scratch folder;
  scaled.save(folder.path("i"));
  EXPECT_EQ(NeighborIndex::load(folder.path("i")).query(*rows_of(wide_y), 4).rows, expected.rows);
  scaled.merge(NeighborIndex(*rows_of(wide_y), {.first = 120, .scaling = bring_back(1.0 / 1024)}));
  EXPECT_EQ(scaled.query(*rows_of(wide_y), 1).rows[0], 120);
  EXPECT_THROW(scaled.merge(NeighborIndex(*rows_of(wide_y), {.first = 200, .scaling = bring_back(1)})),
               std::invalid_argument);
  EXPECT_THROW(NeighborIndex(*rows_of(x), {.scaling = scaling({{}})}), std::invalid_argument);
  EXPECT_THROW(NeighborIndex(*rows_of(x), {.metric = Metric::jaccard, .scaling = scaling({{}, {}, {}})}),
               std::invalid_argument);
}

// Rows in memory come as they are: files are checked by their readers.
TEST(Neighbors, RowsThatAreNoNumbersAreRefused) {
  const Matrix<float> good = cloud(40, 3);
  const NeighborIndex index(*rows_of(good));
  for (const float value : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    Matrix<float> x = good;
    x(17, 2) = value;
    EXPECT_THROW(NeighborIndex(*rows_of(x)), Error);
    EXPECT_THROW(index.query(*rows_of(x), 2), Error);
    EXPECT_THROW(neighbor_graph(*rows_of(x), 2), Error);
    EXPECT_THROW(streamed_neighbors(*rows_of(x), *rows_of(good), 2), Error);
    EXPECT_THROW(streamed_neighbors(*rows_of(good), *rows_of(x), 2), Error);
  }
}

}  // namespace
}  // namespace bochner
