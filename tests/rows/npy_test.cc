// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <limits>
#include <type_traits>

#include "rows/byte_rows.h"
#include "rows/rows_testing.h"

namespace bochner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string header(const std::string& dict, int version = 1) {
  std::string text = dict + " \n";
  std::string bytes = "\x93NUMPY";
  bytes += char(version);
  bytes += '\0';
  const std::size_t length = text.size();
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) bytes += char(length >> (8 * i) & 255);
  return bytes + text;
}

std::string dict(const std::string& type, const std::string& shape, bool fortran = false) {
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", type, fortran ? "True" : "False", shape);
}

// A rows x cols file whose element (i, j) is value(i, j).
template <class S, class F>
std::string npy(const std::string& type, std::size_t rows, std::size_t cols, F value, bool fortran = false,
                int version = 1) {
  std::string bytes = header(dict(type, fmt::format("({}, {})", rows, cols), fortran), version);
  for (std::size_t k = 0; k < rows * cols; ++k) {
    const S element = static_cast<S>(fortran ? value(k % rows, k / rows) : value(k / cols, k % cols));
    bytes.append(reinterpret_cast<const char*>(&element), sizeof element);
  }
  return bytes;
}

double small_value(std::size_t i, std::size_t j) { return j == 2 ? double(i % 3) : double((i * 5 + j) % 100); }

template <class S>
void expect_read(const std::string& type) {
  for (const bool fortran : {false, true})
    for (const int version : {1, 2, 3}) {
      const TempFile file(npy<S>(type, 50, 3, small_value, fortran, version), ".npy");
      const auto rows = open_rows(file.path(), {.targets = {"-1"}});
      EXPECT_THAT(rows->schema().labels, ElementsAre("0", "1", "2")) << type;
      const Table table = read_table<float>(*rows);
      ASSERT_EQ(table.x.size(), 50u);
      for (std::size_t i = 0; i < 50; ++i) {
        EXPECT_THAT(table.x[i], ElementsAre(small_value(i, 0), small_value(i, 1))) << type << i;
        EXPECT_EQ(table.y[i][0], double(i % 3));
      }
      EXPECT_EQ(read_table<float>(*rows, 7), table);
    }
}

TEST(Npy, ReadsEveryTypeOrderAndVersion) {
  expect_read<float>("<f4");
  expect_read<double>("<f8");
  expect_read<std::int8_t>("|i1");
  expect_read<std::int16_t>("<i2");
  expect_read<std::int32_t>("<i4");
  expect_read<std::int64_t>("<i8");
  expect_read<std::uint8_t>("|u1");
  expect_read<std::uint16_t>("<u2");
  expect_read<std::uint32_t>("<u4");
  expect_read<std::uint64_t>("<u8");
}

// Rows of 0 to 6 as a law of counts has them.
TEST(Npy, CountsAreNumbersAndSaidToBe) {
  std::vector<double> counts;
  const int rows_of[] = {20, 50, 70, 50, 25, 8, 3};
  for (int value = 0; value < 7; ++value) counts.insert(counts.end(), std::size_t(rows_of[value]), double(value));
  const auto value = [&](std::size_t i, std::size_t j) { return j == 0 ? double(i) : counts[i]; };
  const TempFile file(npy<double>("<f8", counts.size(), 2, value), ".npy");
  const auto rows = open_rows(file.path(), {.targets = {"-1"}});
  EXPECT_EQ(rows->schema().task, Task::regression);
  EXPECT_THAT(rows->notes(), ElementsAre(HasSubstr("whole numbers as frequent as counts are")));
  EXPECT_THAT(open_rows(file.path(), {.targets = {"-1"}, .task = Task::regression})->notes(), ElementsAre());
}

TEST(Npy, ReadsBool) {
  const TempFile file(npy<std::uint8_t>("|b1", 4, 2, [](auto i, auto j) { return (i + j) % 2; }), ".npy");
  EXPECT_THAT(read_table(*open_rows(file.path(), {.targets = {"1"}})).x,
              ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(0), ElementsAre(1)));
}

TEST(Npy, OrdersAgreeAcrossBatchesOfManyRows) {
  const auto value = [](std::size_t i, std::size_t j) { return double(i) + double(j) / 8; };
  const TempFile c(npy<double>("<f8", 70000, 9, value), ".npy"), f(npy<double>("<f8", 70000, 9, value, true), ".npy");
  const RowsOptions options{.targets = {"0"}, .weights = "1", .ignore = {"2"}};
  const auto rows = open_rows(c.path(), options);
  const Table table = read_table(*rows, 5000);
  EXPECT_EQ(table, read_table(*open_rows(f.path(), options), 5000));
  EXPECT_EQ(table.x[69999][0], 69999.375);
  EXPECT_EQ(table.weights[3], 3.125);
  EXPECT_EQ(rows->memory_bytes(4), 70000u * (6 * 4 + 16));
}

TEST(Npy, NanAndInfAreRefusedWithRowAndColumn) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const auto value = [&](std::size_t i, std::size_t j) { return i == 41 && j == 1 ? bad : 1.5; };
    const TempFile file(npy<double>("<f8", 50, 3, value), ".npy");
    EXPECT_THAT(error_of_reading(file, {.targets = {"0"}}), HasSubstr(": row 41, column 1 (from 0): "));
    EXPECT_EQ(read_table(*open_rows(file.path(), {.targets = {"0"}, .ignore = {"1"}})).x.size(), 50u);
  }
  const TempFile large(npy<double>("<f8", 5, 2, [](auto i, auto) { return i == 3 ? 1e300 : 1.5; }), ".npy");
  const auto rows = open_rows(large.path(), {.targets = {}, .target_required = false});
  EXPECT_THAT(error_of([&] { read_table<float>(*rows); }), HasSubstr("row 3, column 0"));
}

TEST(Npy, FilesCutAnywhereAreRefused) {
  const std::string whole = npy<float>("<f4", 20, 3, small_value);
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    const TempFile file(whole.substr(0, length), ".npy");
    EXPECT_THAT(error_of_reading(file, {.targets = {"0"}}), HasSubstr(file.path())) << length;
  }
}

TEST(Npy, BytesBehindTheDataAreRefused) {
  for (const bool fortran : {false, true}) {
    const TempFile file(npy<float>("<f4", 20, 3, small_value, fortran) + "x", ".npy");
    EXPECT_THAT(error_of_reading(file, {.targets = {"0"}}), HasSubstr("bytes behind the data"));
  }
}

TEST(Npy, BadHeadersAreRefused) {
  const std::pair<std::string, const char*> cases[] = {
      {dict("<f2", "(2, 2)"), "type '<f2'"},
      {dict(">f8", "(2, 2)"), "type '>f8'"},
      {dict("<c8", "(2, 2)"), "type '<c8'"},
      {dict("<U3", "(2, 2)"), "type '<U3'"},
      {dict("<f8", "(4,)"), "1 dimensions, expected 2"},
      {dict("<f8", "(2, 2, 1)"), "3 dimensions, expected 2"},
      {dict("<f8", "(0, 2)"), "no rows"},
      {dict("<f8", "(99999999999999999999, 2)"), "shape"},
      {dict("<f8", "(9999999999999, 9999999999999)"), "too large"},
      {dict("<f8", "(-1, 2)"), "shape"},
      {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (4, 2), }", "records"},
      {"{'descr': '<f8', 'shape': (2, 2), }", "fortran_order"},
      {"{'descr': '<f8', 'fortran_order': False, }", "shape"},
      {"{}", "descr"}};
  for (const auto& [text, part] : cases) {
    const TempFile file(header(text) + std::string(64, '\0'), ".npy");
    EXPECT_THAT(error_of_reading(file, {.targets = {"0"}}), HasSubstr(part)) << text;
  }
  const TempFile version(header(dict("<f8", "(2, 2)"), 9) + std::string(64, '\0'), ".npy");
  EXPECT_THAT(error_of_reading(version, {.targets = {"0"}}), HasSubstr("format 9"));
}

TEST(Npy, ModelReadsNewArraysByPosition) {
  const TempFile train(npy<float>("<f4", 30, 3, small_value), ".npy");
  const Schema schema = open_rows(train.path(), {.targets = {"2"}})->schema();
  EXPECT_EQ(read_table(*open_rows(train.path(), schema)).y.size(), 30u);
  const TempFile inputs(npy<float>("<f4", 4, 2, small_value), ".npy");
  EXPECT_EQ(read_table(*open_rows(inputs.path(), schema, {.target_required = false})).x.size(), 4u);
  EXPECT_THAT(error_of([&] { open_rows(inputs.path(), schema); }), HasSubstr("2 columns, expected 3"));
  const TempFile csv("a,t,y\n1,u,0.5\n2,v,1\n");
  EXPECT_THAT(error_of([&] { open_rows(train.path(), open_rows(csv.path(), {.targets = {"y"}})->schema()); }),
              HasSubstr("text column 't'"));
}

TEST(Npy, NoNumberIsMissingToAModelThatMarksSuchCells) {
  const TempFile csv("a,b,y\n1,2,0.5\n1,,1.5\n1,2,2.5\n");
  const Schema schema = open_rows(csv.path(), {.targets = {"y"}})->schema();
  ASSERT_EQ(schema.inputs, 3u);
  const TempFile array(npy<float>("<f4", 2, 2, small_value), ".npy");
  const auto x = read_table(*open_rows(array.path(), schema, {.target_required = false})).x;
  for (std::size_t i = 0; i < 2; ++i) EXPECT_THAT(x[i], ElementsAre(small_value(i, 0), small_value(i, 1), 0));
}

TEST(Npy, ATypeOfSeveralLinesIsShownInOne) {
  const TempFile file(header(dict("|u1\na;b\x1b", "(3, 2)")) + std::string(6, 'a'), ".npy");
  const std::string said = error_of_reading(file, {.targets = {"-1"}});
  EXPECT_THAT(said, HasSubstr("'|u1 a;b\\x1b'"));
  EXPECT_EQ(said.find('\n'), said.npos);
}

TEST(Npy, BytesAreReadAsTheyAreByAnyThreads) {
  constexpr std::size_t kRows = 3001, kCols = 401;  // several pieces
  const auto value = [](std::size_t i, std::size_t j) { return double((i * 7 + j * 13) % 256); };
  const TempFile file(npy<std::uint8_t>("|u1", kRows, kCols, value), ".npy");
  const auto rows = open_rows(file.path(), {.inputs_only = true});
  const ByteRows* bytes = bytes_of(*rows);
  ASSERT_TRUE(bytes);
  for (const int count : {1, 3}) {
    Threads threads(count);
    std::vector<std::uint8_t> read(kRows * kCols);
    bytes->read_bytes(threads, read.data());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < kRows; ++i)
      for (std::size_t j = 0; j < kCols; ++j) wrong += read[i * kCols + j] != value(i, j);
    EXPECT_EQ(wrong, 0u);
  }
  std::filesystem::resize_file(file.path(), 1000);
  Threads threads(2);
  std::vector<std::uint8_t> read(kRows * kCols);
  EXPECT_THROW(bytes->read_bytes(threads, read.data()), Error);
}

TEST(Npy, OtherNumbersAndOrdersAreNoBytes) {
  const TempFile floats(npy<float>("<f4", 9, 3, small_value), ".npy"),
      columns(npy<std::uint8_t>("|u1", 9, 3, small_value, true), ".npy"),
      bytes(npy<std::uint8_t>("|u1", 9, 3, small_value), ".npy");
  for (const TempFile* file : {&floats, &columns})
    EXPECT_FALSE(bytes_of(*open_rows(file->path(), {.inputs_only = true})));
  EXPECT_TRUE(bytes_of(*open_rows(bytes.path(), {.inputs_only = true})));
  EXPECT_FALSE(bytes_of(*open_rows(bytes.path(), {.targets = {"-1"}, .inputs_only = true})));
}

}  // namespace
}  // namespace bochner
