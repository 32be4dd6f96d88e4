// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include <cmath>

#include "backend/backend.h"
#include "base/archive.h"
#include "bochner/error.h"
#include "bochner/map.h"
#include "maps/load.h"

namespace bochner {
namespace {

using Method = ColumnScaling::Method;

std::vector<ColumnScaling> five_columns() {
  return {{},
          {.method = Method::standardize, .center = 2, .factor = 3},
          {.method = Method::minmax, .center = -1, .factor = 0.5},
          {.method = Method::log, .center = 1, .factor = 2, .offset = 1, .unit = 0.5},
          {.method = Method::quantile, .center = 0.5, .factor = 1, .quantiles = {0, 1, 1, 4}}};
}

Matrix<double> apply(const Map& map, std::vector<double> row) {
  Matrix<double> out(1, map.outputs());
  RowBlock<double> block;
  block.rows = 1;
  block.cols = block.stride = row.size();
  block.values = row.data();
  map.apply(reference_backend(), block, out.view());
  return out;
}

TEST(Scaling, FollowsItsFormulaPerColumn) {
  const MapPtr map = scaling(five_columns());
  const Matrix<double> y = apply(*map, {5, 5, 5, 5, 2.5});
  EXPECT_DOUBLE_EQ(y(0, 0), 5);
  EXPECT_DOUBLE_EQ(y(0, 1), 9);
  EXPECT_DOUBLE_EQ(y(0, 2), 3);
  EXPECT_DOUBLE_EQ(y(0, 3), 2 * (std::log1p(8.0) - 1));
  EXPECT_DOUBLE_EQ(y(0, 4), 2.5 / 3 - 0.5);  // halfway between the quantiles 1 (rank 2/3) and 4 (rank 1)
}

TEST(Scaling, RanksStayInsideTheirRange) {
  const MapPtr map = scaling(five_columns());
  EXPECT_DOUBLE_EQ(apply(*map, {0, 0, 0, 0, -9})(0, 4), -0.5);
  EXPECT_DOUBLE_EQ(apply(*map, {0, 0, 0, 0, 99})(0, 4), 0.5);
  EXPECT_DOUBLE_EQ(apply(*map, {0, 0, 0, 0, 1})(0, 4), 0.0);  // tied quantiles: their middle
}

TEST(Scaling, SparseRowsGiveWhatDenseOnesDo) {
  const MapPtr map = scaling(five_columns());
  const double values[] = {5, 2.5};
  const std::size_t offsets[] = {0, 2};
  const std::uint32_t columns[] = {1, 4};
  RowBlock<double> block;
  block.rows = 1;
  block.cols = 5;
  block.values = values;
  block.offsets = offsets;
  block.columns = columns;
  Matrix<double> out(1, 5);
  map->apply(reference_backend(), block, out.view());
  EXPECT_EQ(out, apply(*map, {0, 5, 0, 0, 2.5}));
  SparseRows<double> rows;
  EXPECT_FALSE(map->apply_sparse(reference_backend(), block, rows));  // a centred column fills the zeros
}

TEST(Scaling, ComesBackFromItsArchive) {
  const MapPtr map = scaling(five_columns());
  Archive archive;
  map->save(archive);
  const MapPtr again = load_map(archive);
  EXPECT_EQ(apply(*map, {1, 2, 3, 4, 3}), apply(*again, {1, 2, 3, 4, 3}));
  archive.arrays.erase("parameters");
  EXPECT_THROW(load_map(archive), Error);
}

TEST(Chain, AppliesItsMapsInOrderAndRefusesWidthsThatDoNotMeet) {
  const MapPtr twice = scaling({{.method = Method::standardize, .factor = 2}});
  Matrix<double> weights(1, 2);
  weights(0, 0) = 1;
  weights(0, 1) = -1;
  const MapPtr both = chain({twice, linear(weights, {10, 20})});
  const Matrix<double> y = apply(*both, {3});
  EXPECT_EQ(y(0, 0), 16);
  EXPECT_EQ(y(0, 1), 14);
  EXPECT_THROW(chain({both, twice}), std::invalid_argument);
  Archive archive;
  both->save(archive);
  EXPECT_EQ(apply(*load_map(archive), {3}), y);
}

TEST(Concat, WeighsTheKernelsNotTheFeatures) {
  const MapPtr twice = scaling({{.method = Method::standardize, .factor = 2}});
  const MapPtr both = concat({twice, twice}, {0.25, 4});
  const Matrix<double> y = apply(*both, {3});
  EXPECT_DOUBLE_EQ(y(0, 0), 3);   // sqrt(0.25) * 6
  EXPECT_DOUBLE_EQ(y(0, 1), 12);  // sqrt(4) * 6
  EXPECT_THROW(concat({twice}, {-1}), std::invalid_argument);
  Archive archive;
  both->save(archive);
  EXPECT_EQ(apply(*load_map(archive), {3}), y);
}

}  // namespace
}  // namespace bochner
