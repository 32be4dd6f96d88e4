// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include <numeric>

#include "bochner/rows.h"
#include "rows/rows_testing.h"

namespace bochner {
namespace {

struct Table {
  Matrix<double> x{1000, 2}, y{1000, 1};
  std::vector<double> weights = std::vector<double>(1000);
  std::unique_ptr<Rows> rows;

  Table() {
    for (std::size_t i = 0; i < 1000; ++i) {
      x(i, 0) = double(i);
      x(i, 1) = -double(i);
      y(i, 0) = 2 * double(i);
      weights[i] = 1 + double(i);
    }
    rows = memory_rows<double>(x.view(), y.view(), Schema{.inputs = 2, .targets = 1}, weights.data());
  }
};

// The first column of the rows, in blocks of a size; every block but the last must be full.
std::vector<double> firsts(Rows& rows, std::size_t block_rows) {
  std::vector<double> found;
  RowBlock<double> block;
  bool last = false;
  for (rows.rewind(); rows.next(block_rows, block);) {
    EXPECT_FALSE(last);
    last = block.rows < block_rows;
    EXPECT_EQ(block.first, found.size());
    for (std::size_t i = 0; i < block.rows; ++i) {
      const double value = block.values[i * block.stride];
      EXPECT_EQ(block.values[i * block.stride + 1], -value);
      EXPECT_EQ(block.targets[i], 2 * value);
      EXPECT_EQ(block.weights[i], 1 + value);
      found.push_back(value);
    }
  }
  return found;
}

TEST(Subset, PassesTheRowsThatAreTakenInFullBlocks) {
  Table table;
  const auto odd = subset_rows(*table.rows, [](std::uint64_t row) { return row % 2 == 1 || row == 500; });
  EXPECT_EQ(odd->size(), std::optional<std::size_t>(501));
  EXPECT_EQ(odd->memory_bytes(8), 501 * (2 * 8 + 2 * 8));
  const std::vector<double> all = firsts(*odd, 1000);
  ASSERT_EQ(all.size(), 501u);
  for (const std::size_t block : {1, 7, 500, 501}) EXPECT_EQ(firsts(*odd, block), all);
  const auto cached = cached_rows<double>(*odd);
  EXPECT_EQ(firsts(*cached, 64), all);
  const auto none = subset_rows(*table.rows, [](std::uint64_t) { return false; });
  EXPECT_EQ(firsts(*none, 10), std::vector<double>());
}

TEST(Subset, SparseRowsStaySparse) {
  const std::vector<std::size_t> offsets{0, 1, 3, 3, 5};
  const std::vector<std::uint32_t> columns{0, 0, 2, 1, 2};
  const std::vector<float> values{1, 2, 3, 4, 5};
  RowBlock<float> all;
  all.rows = 4;
  all.cols = 3;
  all.offsets = offsets.data();
  all.columns = columns.data();
  all.values = values.data();
  const auto rows = memory_rows(all, Schema{.inputs = 3, .sparse = true});
  const auto some = subset_rows(*rows, [](std::uint64_t row) { return row != 1; });
  RowBlock<float> block;
  ASSERT_TRUE(some->next(10, block));
  ASSERT_EQ(block.rows, 3u);
  EXPECT_EQ(std::vector<std::size_t>(block.offsets, block.offsets + 4), (std::vector<std::size_t>{0, 1, 1, 3}));
  EXPECT_EQ(std::vector<float>(block.values, block.values + 3), (std::vector<float>{1, 4, 5}));
}

TEST(Subset, ASplitIsFairAndItsPartsMeetInNoRow) {
  const std::size_t n = 20000;
  std::size_t test = 0;
  std::vector<std::size_t> folds(5);
  for (std::size_t i = 0; i < n; ++i) {
    test += is_test_row(3, i, 0.2);
    ++folds[fold_of_row(3, i, 5)];
  }
  EXPECT_NEAR(double(test), 0.2 * double(n), 4 * std::sqrt(0.16 * double(n)));
  for (const std::size_t fold : folds) EXPECT_NEAR(double(fold), 0.2 * double(n), 4 * std::sqrt(0.16 * double(n)));
  EXPECT_EQ(std::accumulate(folds.begin(), folds.end(), std::size_t(0)), n);
}

}  // namespace
}  // namespace bochner
