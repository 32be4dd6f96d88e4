// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bochner/error.h"

namespace bochner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Schema people() {
  Schema schema;
  schema.columns = {{.name = "age", .fill = 40},
                    {.name = "job", .kind = Column::Kind::category, .levels = {"", "clerk", "smith"}},
                    {.name = "born", .dates = Column::Dates::day_first},
                    {.name = "id", .kind = Column::Kind::ignored},
                    {.name = "pay", .kind = Column::Kind::target}};
  schema.header = true;
  schema.inputs = 5;
  schema.targets = 1;
  return schema;
}

std::string complaint(const NamedCells& cells) {
  try {
    encode(people(), cells);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::data);
    return error.what();
  }
  return "none";
}

TEST(Encode, WritesNumbersLevelsAndDates) {
  EXPECT_THAT(encode(people(), {{"job", "smith"}, {"born", "02/01/1970"}, {"age", " 31 "}}),
              ElementsAre(31, 0, 0, 1, 1));
}

TEST(Encode, FillsWhatIsMissingAndLeavesOutWhatIsUnknown) {
  EXPECT_THAT(encode(people(), {{"age", "NA"}, {"job", ""}, {"born", "1970-01-03"}}), ElementsAre(40, 1, 0, 0, 2));
  EXPECT_THAT(encode(people(), {{"age", "1"}, {"job", "pilot"}, {"born", "1970-01-03"}}), ElementsAre(1, 0, 0, 0, 2));
}

TEST(Encode, MarksWhatIsMissing) {
  Schema schema = people();
  schema.columns[0].marked = schema.columns[2].marked = true;
  schema.inputs = 7;
  EXPECT_THAT(encode(schema, {{"age", "31"}, {"job", "smith"}, {"born", ""}}), ElementsAre(31, 0, 0, 0, 1, 0, 1));
  EXPECT_THAT(encode(schema, {{"age", "?"}, {"job", ""}, {"born", "1970-01-03"}}), ElementsAre(40, 1, 1, 0, 0, 2, 0));
}

TEST(Encode, TakesWordsForMissingIfTrainingHadSome) {
  Schema schema = people();
  schema.columns[0].mixed = true;
  EXPECT_THAT(encode(schema, {{"age", "old"}, {"job", "clerk"}, {"born", ""}}), ElementsAre(40, 0, 1, 0, 0));
}

TEST(Encode, DoesNotLookAtTargetsAndOtherColumns) {
  EXPECT_THAT(encode(people(), {{"age", "1"}, {"job", "clerk"}, {"born", ""}, {"pay", "much"}, {"shoe", "x"}}),
              ElementsAre(1, 0, 1, 0, 0));
}

TEST(Encode, NamesTheColumnThatIsWrong) {
  EXPECT_THAT(complaint({{"age", "old"}, {"job", ""}, {"born", ""}}), HasSubstr("'old' in column 'age'"));
  EXPECT_THAT(complaint({{"age", "1"}, {"job", ""}, {"born", "31/31/1970"}}), HasSubstr("in column 'born'"));
  EXPECT_THAT(complaint({{"age", "1"}, {"born", ""}}), HasSubstr("job"));
  EXPECT_THAT(complaint({{"age", "1"}, {"job", ""}, {"born", ""}, {"age", "2"}}), HasSubstr("'age' is named twice"));
  EXPECT_THROW(encode(Schema(), {{"age", "1"}}), std::invalid_argument);
}

TEST(Encode, RoundsOnceToFloat) {
  // Half way between two floats but for its last digit: rounded by way of double it would come out even.
  Schema schema;
  schema.columns = {{.name = "x"}};
  schema.inputs = 1;
  float once = 0;
  Encoder(schema).encode({{"x", "1.00000017881393432617187500001"}}, std::span<float>(&once, 1));
  EXPECT_EQ(once, 1.00000017881393432617187500001f);
}

TEST(Encode, TakesTheDecimalsAndMissingTextsOfTheSchema) {
  Schema schema = people();
  schema.decimal = ',';
  schema.missing_values = {"-999"};
  EXPECT_THAT(encode(schema, {{"age", "1,5"}, {"job", ""}, {"born", ""}}), ElementsAre(1.5, 1, 0, 0, 0));
  EXPECT_THAT(encode(schema, {{"age", "-999"}, {"job", ""}, {"born", ""}}), ElementsAre(40, 1, 0, 0, 0));
}

}  // namespace
}  // namespace bochner
