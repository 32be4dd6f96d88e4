// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/unite.h"

#include <fmt/format.h>

#include <functional>

#include "rows/rows_testing.h"

namespace bochner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = Column::Kind;
using Dates = Column::Dates;

Schema schema_of(const std::string& text, const RowsOptions& more = {}) {
  const TempFile file(text);
  RowsOptions options = more;
  options.targets = {"y"};
  options.task = Task::regression;
  return open_rows(file.path(), options)->schema();
}

// One schema whatever the order, or one refusal.
Schema united(const Schema& a, const Schema& b) {
  const Schema all = unite(a, "a", b, "b");
  EXPECT_EQ(unite(b, "b", a, "a"), all);
  return all;
}
std::string refusal(const Schema& a, const Schema& b) {
  EXPECT_NE(error_of([&] { unite(b, "b", a, "a"); }), "");
  return error_of([&] { unite(a, "a", b, "b"); });
}

TEST(Unite, TextThatIsAnIdentifierInOnePartIsOneInAll) {
  std::string many = "id,b,y\n";
  for (int i = 0; i < 30; ++i) many += fmt::format("u{},{},{}\n", i, i % 3, i);
  const Schema all = united(schema_of(many), schema_of("id,b,y\nv1,1,2\nv2,2,3\n"));
  EXPECT_TRUE(all.columns[0].identifier);
  EXPECT_EQ(all.inputs, 1u);
  EXPECT_THAT(refusal(schema_of(many), schema_of("id,b,y\n1,1,2\n2,2,3\n")), HasSubstr("column 'id' as"));
}

TEST(Unite, DatesKeepTheOrderThatOnePartShows) {
  const auto dates = [](const std::string& cell) { return schema_of("a,y\n" + cell + ",1\n"); };
  EXPECT_EQ(united(dates("2024-03-31"), dates("31/03/2024")).columns[0].dates, Dates::day_first);
  EXPECT_EQ(united(dates("2024-03-31"), dates("2024-03-30")).columns[0].dates, Dates::year_first);
  EXPECT_THAT(refusal(dates("31/03/2024"), dates("03/31/2024")), HasSubstr("2024-03-31"));
  EXPECT_THAT(refusal(dates("31/03/2024"), dates("7")), HasSubstr("dates"));
}

TEST(Unite, WhatIsMarkedInOnePartIsMarkedInAll) {
  const Schema all = united(schema_of("a,b,y\n1,,2\n1,5,3\n"), schema_of("a,b,y\n2,5,3\n"));
  EXPECT_THAT(all.input_names(), ElementsAre("a", "b", "b is missing"));
  EXPECT_EQ(all.inputs, 3u);
}

TEST(Unite, SpellingsLevelsAndDecimalsAgree) {
  const std::string comma = "a;y\n1,5;1\n2,5;2\n", whole = "a;y\n3;1\n4;2\n";
  EXPECT_EQ(united(schema_of(comma), schema_of(whole)).decimal, ',');
  EXPECT_THAT(refusal(schema_of(whole), schema_of(whole, {.missing_values = {"x"}})), HasSubstr("missing_values"));
  EXPECT_THAT(refusal(schema_of(whole), schema_of(whole, {.usual_missing = false})), HasSubstr("missing_values"));
  EXPECT_THAT(refusal(schema_of(whole), schema_of(whole, {.max_levels = 7})), HasSubstr("max_levels"));
}

}  // namespace
}  // namespace bochner
