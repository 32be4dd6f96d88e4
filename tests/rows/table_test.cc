// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <numeric>

#include "bochner/table_rows.h"
#include "rows/rows_testing.h"

namespace bochner {
namespace {

constexpr std::size_t kRows = 100, kCols = 37;

struct Sample {
  std::vector<double> by_rows, by_columns, y, w;
  Schema schema;

  Sample() : by_rows(kRows * kCols), by_columns(kRows * kCols), y(kRows), w(kRows) {
    std::iota(by_rows.begin(), by_rows.end(), 0.5);
    std::iota(y.begin(), y.end(), 1000);
    std::iota(w.begin(), w.end(), 1);
    for (std::size_t i = 0; i < kRows; ++i)
      for (std::size_t j = 0; j < kCols; ++j) by_columns[j * kRows + i] = by_rows[i * kCols + j];
    schema.inputs = kCols;
    schema.targets = 1;
  }
  MatrixView<const double> targets() const { return {y.data(), kRows, 1, 1}; }
};

TEST(Table, ColumnsGiveTheRowsOfTheirTransposeInEveryBlockSizeAndType) {
  const Sample s;
  const Table expected = read_table(*memory_rows<double>(
      MatrixView<const double>{s.by_rows.data(), kRows, kCols, kCols}, s.targets(), s.schema, s.w.data()));
  const auto rows =
      table_rows<double>({s.by_columns.data(), kRows, kCols, 1, kRows}, s.targets(), s.schema, s.w.data());
  for (const std::size_t max_rows : {1, 7, 33, 100, 1024}) {
    EXPECT_EQ(read_table<double>(*rows, max_rows), expected);
    EXPECT_EQ(read_table<float>(*rows, max_rows), expected);
  }
  EXPECT_EQ(rows->memory_bytes(4), kRows * (kCols * 4 + 16));
}

TEST(Table, StepsMayBeNegative) {
  const Sample s;
  const auto rows = table_rows<double>(
      {s.by_rows.data() + (kRows - 1) * kCols, kRows, kCols, -std::ptrdiff_t(kCols), 1}, {}, s.schema);
  RowBlock<double> block;
  ASSERT_TRUE(rows->next(1, block));
  EXPECT_EQ(block.values[0], s.by_rows[(kRows - 1) * kCols]);
  EXPECT_EQ(block.targets, nullptr);
}

TEST(Table, OffsetsOfASchemaAreSubtracted) {
  Sample s;
  s.schema.offsets.assign(kCols, 1000);
  const auto rows = table_rows<double>({s.by_columns.data(), kRows, kCols, 1, kRows}, s.targets(), s.schema);
  RowBlock<float> block;
  ASSERT_TRUE(rows->next(1, block));
  EXPECT_EQ(block.values[1], -998.5f);
}

TEST(Table, WidthsAndTargetsThatDoNotFitAreRefused) {
  Sample s;
  EXPECT_THROW(table_rows<double>({s.by_rows.data(), kRows, kCols - 1, kCols, 1}, {}, s.schema), std::invalid_argument);
  EXPECT_THROW(table_rows<double>({s.by_rows.data(), kRows - 1, kCols, kCols, 1}, s.targets(), s.schema),
               std::invalid_argument);
  s.schema.task = Task::classification;
  s.schema.labels = {"a", "b"};
  EXPECT_THROW(table_rows<double>({s.by_rows.data(), kRows, kCols, kCols, 1}, s.targets(), s.schema),
               std::invalid_argument);
}

}  // namespace
}  // namespace bochner
