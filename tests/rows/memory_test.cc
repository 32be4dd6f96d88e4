// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <numeric>

#include "rows/rows_testing.h"

namespace bochner {
namespace {

using ::testing::ElementsAre;

struct Sample {
  std::vector<double> x, y, w;
  Schema schema;

  Sample() : x(100 * 4), y(100 * 2), w(100) {
    std::iota(x.begin(), x.end(), 0.5);
    std::iota(y.begin(), y.end(), 1000);
    std::iota(w.begin(), w.end(), 0);
    schema.inputs = 3;
    schema.targets = 2;
  }
  // Three of four columns: stride is not cols.
  MatrixView<const double> inputs() const { return {x.data(), 100, 3, 4}; }
  MatrixView<const double> targets() const { return {y.data(), 100, 2, 2}; }
};

TEST(Memory, DenseRowsAreViews) {
  const Sample s;
  const auto rows = memory_rows<double>(s.inputs(), s.targets(), s.schema, s.w.data());
  RowBlock<double> block;
  ASSERT_TRUE(rows->next(7, block));
  ASSERT_TRUE(rows->next(7, block));
  EXPECT_EQ(block.first, 7u);
  EXPECT_EQ(block.values, s.x.data() + 7 * 4);
  EXPECT_EQ(block.targets, s.y.data() + 7 * 2);
  EXPECT_EQ(block.weights, s.w.data() + 7);
}

TEST(Memory, EveryBlockSizeAndTypeGivesTheSameRows) {
  const Sample s;
  const auto rows = memory_rows<double>(s.inputs(), s.targets(), s.schema, s.w.data());
  const Table table = read_table(*rows);
  ASSERT_EQ(table.x.size(), 100u);
  EXPECT_THAT(table.x[99], ElementsAre(396.5, 397.5, 398.5));
  for (const std::size_t max_rows : {1, 7, 100, 1024}) {
    EXPECT_EQ(read_table<double>(*rows, max_rows), table);
    EXPECT_EQ(read_table<float>(*rows, max_rows), table);
    EXPECT_EQ(read_table<double>(*cached_rows<float>(*rows), max_rows), table);
    EXPECT_EQ(read_table<float>(*cached_rows<double>(*rows), max_rows), table);
  }
  EXPECT_EQ(rows->memory_bytes(4), 100u * (3 * 4 + 3 * 8));
}

TEST(Memory, SparseBlocksKeepTheirRows) {
  const std::vector<std::size_t> offsets{0, 2, 2, 3, 6};
  const std::vector<std::uint32_t> columns{0, 4, 2, 1, 2, 3};
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  const std::vector<double> y{0, 1, 0, 1};
  Schema schema;
  schema.inputs = 5;
  RowBlock<float> all;
  all.rows = 4;
  all.cols = 5;
  all.values = values.data();
  all.offsets = offsets.data();
  all.columns = columns.data();
  all.targets = y.data();
  all.target_count = 1;
  const auto rows = memory_rows(all, schema);
  EXPECT_TRUE(rows->schema().sparse);
  const Table table = read_table<float>(*rows);
  EXPECT_THAT(table.x, ElementsAre(ElementsAre(1, 0, 0, 0, 2), ElementsAre(0, 0, 0, 0, 0), ElementsAre(0, 0, 3, 0, 0),
                                   ElementsAre(0, 4, 5, 6, 0)));
  for (const std::size_t max_rows : {1, 3, 10}) {
    EXPECT_EQ(read_table<float>(*rows, max_rows), table);
    EXPECT_EQ(read_table<double>(*rows, max_rows), table);
    EXPECT_EQ(read_table<double>(*cached_rows<double>(*rows), max_rows), table);
  }
  EXPECT_EQ(cached_rows<float>(*rows)->memory_bytes(4), rows->memory_bytes(4));
}

TEST(Memory, WrongShapesAreTheCallersMistake) {
  const Sample s;
  Schema schema = s.schema;
  schema.inputs = 4;
  EXPECT_THROW(memory_rows<double>(s.inputs(), s.targets(), schema), std::invalid_argument);
  EXPECT_THROW(memory_rows<double>(s.inputs(), s.targets().slice(0, 99), s.schema), std::invalid_argument);
  const auto rows = memory_rows<double>(s.inputs(), {}, s.schema);
  EXPECT_EQ(rows->schema().targets, 0u);
  RowBlock<double> block;
  EXPECT_THROW(rows->next(0, block), std::invalid_argument);

  const std::vector<std::size_t> offsets{0, 2};
  const std::vector<double> values{1, 2};
  RowBlock<double> sparse;
  sparse.rows = 1;
  sparse.cols = 3;
  sparse.values = values.data();
  sparse.offsets = offsets.data();
  for (const auto& columns : {std::vector<std::uint32_t>{1, 0}, {1, 1}, {0, 3}}) {
    sparse.columns = columns.data();
    EXPECT_THROW(memory_rows(sparse, s.schema), std::invalid_argument);
  }
}

TEST(Memory, CachedFileGivesTheRowsOfTheFile) {
  const TempFile csv("a,t,w,y\n1,u,1,k\n2,v,2,l\n3,u,3,k\n"), svm("1 1:2 3:4\n2 2:5\n1 1:1\n", ".svm");
  const auto dense = open_rows(csv.path(), {.targets = {"y"}, .weights = "w"});
  const auto sparse = open_rows(svm.path());
  for (Rows* rows : {dense.get(), sparse.get()}) {
    const auto cached = cached_rows<float>(*rows);
    EXPECT_EQ(read_table<float>(*cached, 2), read_table<float>(*rows, 2));
    EXPECT_EQ(cached->schema(), rows->schema());
    EXPECT_EQ(cached->memory_bytes(4), rows->memory_bytes(4));
  }
}

TEST(Memory, MixingTypesWithinAPassOfAFileIsRefused) {
  const TempFile csv("a,y\n1,2\n2,3\n3,4\n");
  const auto rows = open_rows(csv.path(), {.targets = {"y"}});
  RowBlock<float> narrow;
  RowBlock<double> wide;
  ASSERT_TRUE(rows->next(1, narrow));
  EXPECT_THROW(rows->next(1, wide), std::invalid_argument);
  rows->rewind();
  EXPECT_TRUE(rows->next(1, wide));
}

}  // namespace
}  // namespace bochner
