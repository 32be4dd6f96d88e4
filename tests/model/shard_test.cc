// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include "bochner/train.h"
#include "random/draw.h"
#include "scratch.h"

namespace bochner {
namespace {

// A shard keeps the numbers of its rows; a training counts its own from 0.
TEST(Shard, TrainsTheModelOfItsRowsAlone) {
  constexpr std::size_t kRows = 4 * kChunkRows - 77, kCols = 3, kFirst = 2 * kChunkRows;
  Matrix<double> x(kRows, kCols), y(kRows, 1);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < kCols; ++j) x(i, j) = normal(1, Draw::frequency, i, j);
    y(i, 0) = x(i, 0) * x(i, 1) + 0.1 * normal(2, Draw::frequency, i);
  }
  Schema schema;
  schema.inputs = kCols;
  schema.targets = 1;
  const auto all = memory_rows<double>(x.view(), y.view(), schema);
  const auto alone = memory_rows<double>(std::as_const(x).view().slice(kFirst, kRows - kFirst),
                                         std::as_const(y).view().slice(kFirst, kRows - kFirst), schema);
  const auto shard = all->shard(1, 2);
  ASSERT_EQ(shard->first_row(), kFirst);
  const testing_files::Scratch scratch;
  const MapPtr map = fourier(kCols, {.features = 64, .seed = 3});
  for (const RidgeOptions::Solver solver : {RidgeOptions::Solver::cholesky, RidgeOptions::Solver::cg}) {
    RidgeOptions ridge;
    ridge.solver = solver;
    fit(*shard, map, ridge).save(scratch.path("shard"));
    fit(*alone, map, ridge).save(scratch.path("alone"));
    EXPECT_EQ(testing_files::read_bytes(scratch.path("shard")), testing_files::read_bytes(scratch.path("alone")));
  }
}

}  // namespace
}  // namespace bochner
