// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/shifted.h"

#include <nlohmann/json.hpp>

#include "bochner/table_rows.h"
#include "rows/rows_testing.h"
#include "rows/schema_json.h"

namespace bochner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Shifted, RowsLoseTheirOffsetsBeforeTheyAreRounded) {
  const std::vector<double> x = {1700000000001, 1, 1700000000002, 2, 1700000000005, 3};
  Schema schema;
  schema.inputs = 2;
  schema.offsets = {1700000000000, 0};
  const auto rows = memory_rows<double>(MatrixView<const double>{x.data(), 3, 2, 2}, {}, schema);
  EXPECT_EQ(rows->schema().offsets, schema.offsets);
  for (const std::size_t most : {1, 2, 7}) {
    const Table floats = read_table<float>(*rows, most);
    EXPECT_THAT(floats.x, ElementsAre(ElementsAre(1, 1), ElementsAre(2, 2), ElementsAre(5, 3)));
    EXPECT_EQ(read_table<double>(*rows, most), floats);
    EXPECT_EQ(read_table<float>(*cached_rows<float>(*rows), most), floats);
  }
}

TEST(Shifted, RowsAreBroughtToTheOffsetsOfAModel) {
  const std::vector<double> x = {105, 106};
  Schema schema;
  schema.inputs = 1;
  schema.offsets = {100};
  const auto rows = memory_rows<double>(MatrixView<const double>{x.data(), 2, 1, 1}, {}, schema);
  std::unique_ptr<Rows> owner;
  EXPECT_EQ(&with_offsets(*rows, {100}, owner), rows.get());
  EXPECT_EQ(owner, nullptr);
  EXPECT_THAT(read_table(with_offsets(*rows, {104}, owner)).x, ElementsAre(ElementsAre(1), ElementsAre(2)));
  EXPECT_THAT(read_table(with_offsets(*rows, {}, owner)).x, ElementsAre(ElementsAre(105), ElementsAre(106)));
}

TEST(BeyondFloat, NumbersAreRefusedWhereverTheyAreRounded) {
  const std::vector<double> x = {1, 2, 3, 1e39}, sparse = {1, -1e39};
  const std::vector<std::size_t> offsets = {0, 1, 2};
  const std::vector<std::uint32_t> columns = {0, 1};
  RowBlock<double> block;
  block.rows = block.cols = 2;
  block.values = sparse.data();
  block.offsets = offsets.data();
  block.columns = columns.data();
  Schema plain, far;
  plain.inputs = far.inputs = 2;
  far.offsets = {1e9, 0};
  const MatrixView<const double> dense{x.data(), 2, 2, 2};
  std::vector<std::unique_ptr<Rows>> all;
  all.push_back(memory_rows<double>(dense, {}, plain));
  all.push_back(memory_rows<double>(dense, {}, far));
  all.push_back(memory_rows<double>(block, plain));
  all.push_back(table_rows<double>({x.data(), 2, 2, 2, 1}, {}, plain));
  for (const auto& rows : all) {
    EXPECT_THAT(error_of([&] { read_table<float>(*rows, 1); }, Error::Kind::data),
                ::testing::ContainsRegex("rows: row 1 .from 0.: -?1e.39 in column 'x1' is beyond the range of float"));
    rows->rewind();
    EXPECT_EQ(read_table<double>(*rows, 1).x.size(), 2u);
  }
}

TEST(Shifted, SparseRowsAndWrongCountsAreRefused) {
  const std::vector<float> values = {1, 2};
  const std::vector<std::size_t> offsets = {0, 1, 2};
  const std::vector<std::uint32_t> columns = {0, 1};
  RowBlock<float> block;
  block.rows = block.cols = 2;
  block.values = values.data();
  block.offsets = offsets.data();
  block.columns = columns.data();
  Schema schema;
  schema.inputs = 2;
  schema.offsets = {1, 0};
  EXPECT_THAT(error_of([&] { memory_rows<float>(block, schema); }, Error::Kind::data), HasSubstr("sparse"));
  Schema plain = schema;
  plain.offsets.clear();
  const std::vector<double> x = {1, 2};
  EXPECT_THROW(shifted_rows(memory_rows<double>(MatrixView<const double>{x.data(), 1, 2, 2}, {}, plain), {1, 2, 3}),
               std::invalid_argument);
}

TEST(Shifted, OffsetsAreKeptInTheSchema) {
  Schema schema;
  schema.inputs = 2;
  schema.targets = 1;
  EXPECT_FALSE(schema_to_json(schema).contains("offsets"));
  schema.offsets = {1.7e12, 0};
  EXPECT_EQ(schema_from_json(nlohmann::json::parse(schema_to_json(schema).dump())), schema);
  for (const char* wrong : {"[1.0]", "[1.0, \"a\"]", "\"x\""}) {
    nlohmann::json tree = schema_to_json(schema);
    tree["offsets"] = nlohmann::json::parse(wrong);
    EXPECT_THAT(error_of([&] { schema_from_json(tree); }, Error::Kind::model), HasSubstr("offset"));
  }
}

}  // namespace
}  // namespace bochner
