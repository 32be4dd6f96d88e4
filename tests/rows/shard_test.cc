// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/shard.h"

#include <fmt/format.h>

#include <cstring>

#include "rows/rows_testing.h"
#include "rows/shifted.h"
#include "rows/weighted.h"

namespace bochner {
namespace {

constexpr std::size_t kRows = 5 * kChunkRows - 200, kCols = 3;

double value(std::size_t i, std::size_t j) { return double((i * 7 + j * 3) % 101) / 4 - 5; }

// A row with its number.
struct NumberedRow {
  std::size_t number;
  std::vector<double> x, y;
  double weight;
  bool operator==(const NumberedRow&) const = default;
};

template <class T>
std::vector<NumberedRow> numbered(Rows& rows, std::size_t at_once = 1000) {
  std::vector<NumberedRow> all;
  rows.rewind();
  RowBlock<T> block;
  while (rows.next(at_once, block))
    for (std::size_t i = 0; i < block.rows; ++i) {
      NumberedRow row{block.first + i, std::vector<double>(block.cols), {}, block.weights ? block.weights[i] : 1.0};
      if (block.sparse())
        for (std::size_t k = block.offsets[i]; k < block.offsets[i + 1]; ++k)
          row.x[block.columns[k]] = double(block.values[k]);
      else
        for (std::size_t j = 0; j < block.cols; ++j) row.x[j] = double(block.values[i * block.stride + j]);
      if (block.targets)
        row.y.assign(block.targets + i * block.target_count, block.targets + (i + 1) * block.target_count);
      all.push_back(std::move(row));
    }
  return all;
}

// Shards give every row once, in order, by its number, in any number of passes of either type.
void expect_shards(Rows& rows, const std::string& source) {
  SCOPED_TRACE(source);
  const std::vector<NumberedRow> all = numbered<double>(rows), floats = numbered<float>(rows);
  ASSERT_FALSE(all.empty());
  for (const std::size_t count : {1, 2, 3, 7}) {
    std::vector<NumberedRow> met, met_again, met_floats;
    for (std::size_t i = 0; i < count; ++i) {
      const auto shard = rows.shard(i, count);
      const std::vector<NumberedRow> part = numbered<double>(*shard, 777), again = numbered<double>(*shard, 4096),
                                     as_float = numbered<float>(*shard, 333);
      EXPECT_EQ(shard->size(), part.size());
      if (!part.empty()) {
        EXPECT_EQ(part[0].number % kChunkRows, 0u);
        EXPECT_EQ(part[0].number, shard->first_row());
      }
      EXPECT_EQ(&shard->schema(), &rows.schema());
      met.insert(met.end(), part.begin(), part.end());
      met_again.insert(met_again.end(), again.begin(), again.end());
      met_floats.insert(met_floats.end(), as_float.begin(), as_float.end());
    }
    EXPECT_TRUE(met == all) << count;
    EXPECT_TRUE(met_again == all) << count;
    EXPECT_TRUE(met_floats == floats) << count;
  }
}

struct InMemory {
  std::vector<double> x, y, weights;
  Schema schema;

  InMemory() {
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t j = 0; j < kCols; ++j) x.push_back(value(i, j));
      y.push_back(double(i % 2));
      weights.push_back(double(1 + i % 5));
    }
    schema.inputs = kCols;
    schema.targets = 1;
    schema.task = Task::classification;
    schema.labels = {"no", "yes"};
  }
  std::unique_ptr<Rows> rows() const {
    return memory_rows<double>({x.data(), kRows, kCols, kCols}, {y.data(), kRows, 1, 1}, schema, weights.data());
  }
};

TEST(Shard, OfRowsInMemoryDenseAndSparseAndOfWrappers) {
  const InMemory data;
  const auto rows = data.rows();
  expect_shards(*rows, "memory");
  expect_shards(*cached_rows<float>(*rows), "cached");
  expect_shards(*subset_rows(*rows, [](std::uint64_t row) { return row % 3 != 0; }), "subset");
  expect_shards(*shifted_rows(data.rows(), {1, 2, 3}), "shifted");
  expect_shards(*class_weighted_rows(*rows, {1, 3}), "class weights");

  std::vector<std::size_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::uint32_t j = 0; j < kCols; ++j)
      if ((i + j) % 2) {
        columns.push_back(j);
        values.push_back(float(value(i, j)));
      }
    offsets.push_back(values.size());
  }
  RowBlock<float> sparse{.rows = kRows, .cols = kCols, .values = values.data()};
  sparse.offsets = offsets.data();
  sparse.columns = columns.data();
  sparse.targets = data.y.data();
  sparse.target_count = 1;
  expect_shards(*memory_rows<float>(sparse, data.schema), "sparse");
}

TEST(Shard, OfFiles) {
  std::string csv = "a,b,c,y\n", svm;
  for (std::size_t i = 0; i < kRows; ++i) {
    csv += fmt::format("{},{},{},{}\n", value(i, 0), value(i, 1), value(i, 2), i % 7 * 0.5);
    svm += fmt::format("{} 1:{} 3:{}\n", i % 2 ? 1 : -1, value(i, 0), value(i, 2));
  }
  const TempFile csv_file(csv), svm_file(svm, ".svm");
  expect_shards(*open_rows(csv_file.path(), {.targets = {"y"}, .task = Task::regression}), "csv");
  expect_shards(*open_rows(svm_file.path()), "svmlight");
  // The number of rows is not known before a scan: the first shard counts them.
  const Schema schema = open_rows(csv_file.path(), {.targets = {"y"}, .task = Task::regression})->schema();
  const auto unscanned = open_rows(csv_file.path(), schema);
  EXPECT_FALSE(unscanned->size());
  EXPECT_EQ(unscanned->shard(1, 2)->first_row(), 3 * kChunkRows);

  for (const bool fortran : {false, true}) {
    std::string text = fmt::format("{{'descr': '<f8', 'fortran_order': {}, 'shape': ({}, {}), }} \n",
                                   fortran ? "True" : "False", kRows, kCols);
    std::string bytes = std::string("\x93NUMPY\x01", 7) + '\0';
    bytes += char(text.size() & 255);
    bytes += char(text.size() >> 8);
    bytes += text;
    for (std::size_t k = 0; k < kRows * kCols; ++k) {
      const double element = fortran ? value(k % kRows, k / kRows) : value(k / kCols, k % kCols);
      bytes.append(reinterpret_cast<const char*>(&element), sizeof element);
    }
    const TempFile npy(bytes, ".npy");
    expect_shards(*open_rows(npy.path(), {.targets = {"2"}, .task = Task::regression}), fortran ? "npy F" : "npy C");
  }
}

TEST(Shard, OfAShardAndOfFewRows) {
  const InMemory data;
  const auto rows = data.rows();
  const auto second = rows->shard(1, 2);
  EXPECT_EQ(second->first_row(), 3 * kChunkRows);
  expect_shards(*second, "shard of a shard");
  const auto kept = cached_rows<double>(*second);
  EXPECT_TRUE(numbered<double>(*kept) == numbered<double>(*second));
  std::size_t met = 0;
  for (std::size_t i = 0; i < 100; ++i) met += numbered<float>(*rows->shard(i, 100)).size();
  EXPECT_EQ(met, kRows);
  EXPECT_TRUE(numbered<float>(*rows->shard(99, 100)).empty());
  EXPECT_THROW(rows->shard(2, 2), std::invalid_argument);
  EXPECT_THROW(rows->shard(0, 0), std::invalid_argument);
}

TEST(Shard, NumberedFrom0HasTheSameRows) {
  const InMemory data;
  const auto rows = data.rows();
  std::unique_ptr<Rows> owner;
  EXPECT_EQ(&numbered_from_0(*rows, owner), rows.get());
  const auto second = rows->shard(1, 2);
  Rows& anew = numbered_from_0(*second, owner);
  std::vector<NumberedRow> expected = numbered<double>(*second);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i].number = i;
  EXPECT_TRUE(numbered<double>(anew) == expected);
  EXPECT_EQ(anew.first_row(), 0u);
  anew.rewind();
  EXPECT_TRUE(anew.seek(kChunkRows));
  RowBlock<double> block;
  ASSERT_TRUE(anew.next(1, block));
  EXPECT_EQ(block.first, kChunkRows);
  EXPECT_EQ(block.values[0], value(4 * kChunkRows, 0));
}

}  // namespace
}  // namespace bochner
