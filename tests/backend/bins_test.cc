// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/bins.h"

#include <gtest/gtest.h>

#include <cmath>

#include "backend/problems.h"
#include "methods/bins/draw_grid.h"
#include "random/draw.h"

namespace bochner {
namespace {

using testing::for_each_target;

// Columns in turn: continuous, 0/1, mostly 0 with many other values, constant, five values.
template <class T>
std::vector<T> mixed_values(std::size_t rows, std::size_t cols) {
  std::vector<T> x(rows * cols);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) {
      const double u = uniform(7, Draw::sample, i, j);
      const double kinds[] = {100 * u - 50, double(u < 0.3), u < 0.8 ? 0 : 10 * u, 3.5, std::floor(5 * u)};
      x[i * cols + j] = T(kinds[j % 5]);
    }
  }
  return x;
}

template <class T>
RowBlock<T> dense_block(const std::vector<T>& x, std::size_t cols) {
  RowBlock<T> block;
  block.rows = x.size() / cols;
  block.cols = block.stride = cols;
  block.values = x.data();
  return block;
}

template <class T>
struct SparseCopy {
  std::vector<std::size_t> offsets{0};
  std::vector<std::uint32_t> columns;
  std::vector<T> values;
  RowBlock<T> block;

  explicit SparseCopy(const RowBlock<T>& dense) {
    for (std::size_t i = 0; i < dense.rows; ++i) {
      for (std::uint32_t j = 0; j < dense.cols; ++j) {
        const T v = dense.values[i * dense.stride + j];
        if (v == 0) continue;
        columns.push_back(j);
        values.push_back(v);
      }
      offsets.push_back(values.size());
    }
    block = {.rows = dense.rows,
             .cols = dense.cols,
             .values = values.data(),
             .offsets = offsets.data(),
             .columns = columns.data()};
  }
};

template <class T>
class Bins : public ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Bins, Numbers);

TYPED_TEST(Bins, HashesEqualReferenceAtOddSizes) {
  using T = TypeParam;
  for_each_target([&](const std::string& target) {
    for (const std::size_t cols : {1, 2, 5, 23}) {
      for (const std::size_t rows : {1, 7, 8, 9, 63, 64, 65, 300}) {
        const auto x = mixed_values<T>(rows, cols);
        const RowBlock<T> block = dense_block(x, cols);
        const SparseCopy<T> sparse(block);
        for (const std::size_t order : {0, 1, 2}) {
          BinningOptions options;
          options.order_low = options.order_high = order;
          for (std::uint64_t g = 0; g < 3; ++g) {
            const auto grid = draw_grid<T>(cols, options, g);
            std::vector<std::uint64_t> expected(rows), found(rows), from_sparse(rows), reference_sparse(rows);
            plain_bin_hashes(block, grid, expected.data());
            std::vector<std::uint32_t> groups;
            if (order > 0)
              for (std::uint32_t j = 0; j < cols; ++j) groups.push_back(j / 2);
            cpu_backend().bin_hashes(pack_rows(block, groups), grid, found.data());
            cpu_backend().bin_hashes(pack_rows(sparse.block, groups), grid, from_sparse.data());
            plain_bin_hashes(sparse.block, grid, reference_sparse.data());
            std::vector<std::uint64_t> unpacked(rows);
            reference_backend().bin_hashes(pack_rows(block, groups), grid, unpacked.data());
            ASSERT_EQ(unpacked, expected);
            ASSERT_EQ(found, expected) << target << " rows " << rows << " cols " << cols << " order " << order;
            ASSERT_EQ(from_sparse, expected) << target << " rows " << rows << " cols " << cols;
            ASSERT_EQ(reference_sparse, expected);
          }
        }
      }
    }
  });
}

TYPED_TEST(Bins, HashOfARowDoesNotDependOnItsBlock) {
  using T = TypeParam;
  const std::size_t cols = 10, rows = 700;
  const auto x = mixed_values<T>(rows, cols);
  const RowBlock<T> block = dense_block(x, cols);
  const auto grid = draw_grid<T>(cols, {}, 4);
  std::vector<std::uint64_t> whole(rows), parts(rows);
  cpu_backend().bin_hashes(pack_rows(block), grid, whole.data());
  for (std::size_t begin = 0; begin < rows; begin += 33)
    cpu_backend().bin_hashes(pack_rows(block.slice(begin, std::min<std::size_t>(33, rows - begin))), grid,
                             parts.data() + begin);
  EXPECT_EQ(whole, parts);
}

TYPED_TEST(Bins, BinNumberIsTheFloorAndSaturates) {
  using T = TypeParam;
  Grid<T> grid{{T(0.5)}, {T(2)}, {1}, {3}, {0}};
  EXPECT_EQ(grid.bin(0, T(0.5)), 0);
  EXPECT_EQ(grid.bin(0, T(0.49)), -1);
  EXPECT_EQ(grid.bin(0, T(1.49)), 1);
  EXPECT_EQ(grid.bin(0, T(1e30)), 2147483647);
  EXPECT_EQ(grid.bin(0, T(-1e30)), -2147483647 - 1);
  // Far out values take the vector path too: enough different ones that the column is dense.
  std::vector<T> x;
  for (int i = 0; i < 40; ++i) x.push_back(T(i % 2 ? 1e12 : -1e12) * T(i + 1));
  std::vector<std::uint64_t> expected(x.size()), found(x.size());
  for_each_target([&](const std::string& target) {
    plain_bin_hashes(dense_block(x, 1), grid, expected.data());
    cpu_backend().bin_hashes(pack_rows(dense_block(x, 1)), grid, found.data());
    EXPECT_EQ(found, expected) << target;
  });
}

TEST(PackedRows, HalvesAddWithoutCarry) {
  EXPECT_EQ(add_halves(0x00000001ffffffffu, 0x0000000200000001u), 0x0000000300000000u);
  EXPECT_EQ(add_halves(0xffffffff80000000u, 0x0000000180000000u), 0u);
}

TEST(PackedRows, IndicatorsAreCodedAndManyValuedColumnsAreDense) {
  const auto x = mixed_values<float>(4000, 5);
  const PackedRows<float> packed = pack_rows(dense_block(x, 5));
  EXPECT_EQ(packed.dense, std::vector<std::uint32_t>{0});
  ASSERT_EQ(packed.parts.size(), 1u);
  EXPECT_EQ(packed.parts[0].inputs, (std::vector<std::uint32_t>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace bochner
