// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <limits>

#include "rows/rows_testing.h"

namespace bochner {
namespace {

using ::testing::ElementsAre;

class NewFile : public ::testing::Test {
 protected:
  TempFile train_{"id,a,t,y\n7,1,u,k\n8,3,v,l\n9,5,u,k\n"};
  Schema schema_ = open_rows(train_.path(), {.targets = {"y"}, .ignore = {"id"}})->schema();
  Table read(const TempFile& file, bool target_required = true) {
    const auto rows = open_rows(file.path(), schema_, {.target_required = target_required});
    return read_table(*rows);
  }
  const Table wanted_{{{2, 0, 1}, {4, 1, 0}}, {{1}, {0}}, {}};
};

TEST_F(NewFile, ColumnsAreMatchedByNameInAnyOrderAmongOthers) {
  const TempFile file("more,y,t,a\n0,l,v,2\n0,k,u,4\n");
  EXPECT_EQ(read(file), wanted_);
}

TEST_F(NewFile, ColumnsAreMatchedByPositionWithoutAHeader) {
  const TempFile file("1,2,v,l\n1,4,u,k\n");
  EXPECT_EQ(read(file), wanted_);
}

TEST_F(NewFile, OneRowWithTextIsARowAndNotAHeader) {
  const TempFile file("1,2,v,l\n");
  EXPECT_EQ(read(file).x, (std::vector<std::vector<double>>{{2, 0, 1}}));
}

TEST_F(NewFile, TargetMayBeAbsentWhenNotRequired) {
  const TempFile named("a,t\n2,v\n4,u\n"), placed("1,2,v\n1,4,u\n");
  for (const TempFile* file : {&named, &placed}) {
    const auto rows = open_rows(file->path(), schema_, {.target_required = false});
    EXPECT_EQ(rows->schema().targets, 0u);
    EXPECT_EQ(read_table(*rows).x, wanted_.x);
  }
}

TEST_F(NewFile, ModelOfNumberedColumnsReadsANamedFileByPosition) {
  const TempFile bare("1,2,0.5\n3,4,1.5\n");
  const Schema schema = open_rows(bare.path(), {.targets = {"2"}})->schema();
  const TempFile named("p,q,r\n5,6,2.5\n");
  const Table table = read_table(*open_rows(named.path(), schema));
  EXPECT_THAT(table.x, ElementsAre(ElementsAre(5, 6)));
  EXPECT_THAT(table.y, ElementsAre(ElementsAre(2.5)));
}

TEST_F(NewFile, SchemaWithoutColumnsTakesAllButTheNamedTarget) {
  Schema schema;
  schema.inputs = 2;
  schema.targets = 1;
  const TempFile file("p,y,q\n1,0.5,2\n");
  EXPECT_THAT(read_table(*open_rows(file.path(), schema, {.targets = {"y"}})).x, ElementsAre(ElementsAre(1, 2)));
  const TempFile inputs("p,q\n1,2\n");
  EXPECT_THAT(read_table(*open_rows(inputs.path(), schema, {.target_required = false})).x,
              ElementsAre(ElementsAre(1, 2)));
  EXPECT_THAT(error_of([&] { open_rows(file.path(), schema, {.target_required = false}); }),
              ::testing::HasSubstr("3 input columns, the model expects 2"));
}

TEST_F(NewFile, ReadingTrainingDataWithItsOwnSchemaGivesTheSameRows) {
  const auto rows = open_rows(train_.path(), {.targets = {"y"}, .ignore = {"id"}});
  EXPECT_EQ(read_table(*rows), read(train_));
}

TEST_F(NewFile, SizeIsKnownAfterThePass) {
  const auto rows = open_rows(train_.path(), schema_);
  EXPECT_EQ(rows->size(), std::nullopt);
  EXPECT_EQ(rows->memory_bytes(4), 0u);
  read_table(*rows);
  EXPECT_EQ(rows->size(), 3u);
}

}  // namespace
}  // namespace bochner
