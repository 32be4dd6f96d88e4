// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/schema.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "rows/rows_testing.h"
#include "rows/schema_json.h"

namespace bochner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Schema sample() {
  const TempFile file("id,age,job,w,y\n1,20,clerk,1,no\n2,?,?,1,yes\n3,0.1,smith,2,no\n");
  return open_rows(file.path(), {.targets = {"y"}, .weights = "w", .ignore = {"id"}, .missing = Missing::mean})
      ->schema();
}

TEST(Schema, NamesItsInputs) {
  EXPECT_THAT(sample().input_names(), ElementsAre("age", "job=", "job=clerk", "job=smith"));
  Schema bare;
  bare.inputs = 2;
  EXPECT_THAT(bare.input_names(), ElementsAre("x0", "x1"));
}

TEST(SchemaJson, ComesBackTheSame) {
  const Schema schema = sample();
  EXPECT_EQ(schema_from_json(schema_to_json(schema)), schema);
  EXPECT_EQ(schema_from_json(nlohmann::json::parse(schema_to_json(schema).dump())), schema);
  Schema sparse;
  sparse.inputs = 9;
  sparse.sparse = true;
  sparse.index_base = 0;
  sparse.targets = 1;
  sparse.missing = Missing::drop;
  EXPECT_EQ(schema_from_json(schema_to_json(sparse)), sparse);
}

// How a schema of every sort of column and with no default left comes back.
TEST(SchemaJson, KeepsWhatWasDecidedOfTheColumns) {
  std::string text = "id;when;size;y\n";
  for (int i = 10; i < 40; ++i) text += fmt::format("k{};{}.03.2024;{},5;{},25\n", i, 1 + i % 28, i, i % 7);
  const TempFile file(text);
  const Schema schema =
      open_rows(file.path(),
                {.targets = {"y"}, .missing_values = {"none of them", "-9"}, .usual_missing = false, .max_levels = 9})
          ->schema();
  EXPECT_TRUE(schema.columns[0].identifier);
  EXPECT_EQ(schema.columns[1].dates, Column::Dates::day_first);
  EXPECT_EQ(schema.decimal, ',');
  EXPECT_EQ(schema.inputs, 2u);
  const nlohmann::json tree = nlohmann::json::parse(schema_to_json(schema).dump());
  EXPECT_EQ(schema_from_json(tree), schema);
  for (const char* key : {"missing_values", "usual_missing", "decimal", "max_levels"})
    for (const nlohmann::json& wrong : {nlohmann::json(nullptr), nlohmann::json(-3), nlohmann::json("odd")}) {
      nlohmann::json bad = tree;
      bad[key] = wrong;
      EXPECT_NE(error_of([&] { schema_from_json(bad); }, Error::Kind::model), "") << key << wrong;
    }
  const auto refused = [&](auto change) {
    nlohmann::json bad = tree;
    change(bad);
    return error_of([&] { schema_from_json(bad); }, Error::Kind::model);
  };
  EXPECT_THAT(refused([](auto& t) { t["columns"][1]["dates"] = "odd"; }), HasSubstr("odd"));
  EXPECT_THAT(refused([](auto& t) { t["columns"][3]["dates"] = "day first"; }), HasSubstr("not numeric"));
  EXPECT_THAT(refused([](auto& t) { t["columns"][1]["identifier"] = true; }), HasSubstr("not ignored"));
}

// Models saved before columns had dates, decimals and spellings of their own.
TEST(SchemaJson, NewKeysAreNotNeeded) {
  const nlohmann::json tree = schema_to_json(sample());
  for (const char* key : {"missing_values", "usual_missing", "decimal", "max_levels"}) EXPECT_FALSE(tree.contains(key));
  for (const nlohmann::json& column : tree["columns"])
    for (const char* key : {"dates", "identifier"}) EXPECT_FALSE(column.contains(key));
}

TEST(SchemaJson, EveryMissingKeyIsRefused) {
  const nlohmann::json good = schema_to_json(sample());
  for (const auto& [key, value] : good.items()) {
    nlohmann::json tree = good;
    tree.erase(key);
    EXPECT_THAT(error_of([&] { schema_from_json(tree); }, Error::Kind::model), HasSubstr(key));
  }
}

TEST(SchemaJson, EveryWrongTypeIsRefused) {
  const nlohmann::json good = schema_to_json(sample());
  for (const auto& [key, value] : good.items())
    for (const nlohmann::json& wrong :
         {nlohmann::json(nullptr), nlohmann::json(-3), nlohmann::json("odd"), nlohmann::json{{"a", 1}}}) {
      nlohmann::json tree = good;
      tree[key] = wrong;
      EXPECT_NE(error_of([&] { schema_from_json(tree); }, Error::Kind::model), "") << key << wrong;
    }
}

TEST(SchemaJson, KeepsMarksAndRefusesThemElsewhere) {
  Schema schema = sample();
  schema.columns[1].marked = true;
  ++schema.inputs;
  EXPECT_THAT(schema.input_names(), ElementsAre("age", "age is missing", "job=", "job=clerk", "job=smith"));
  nlohmann::json tree = schema_to_json(schema);
  EXPECT_EQ(schema_from_json(tree), schema);
  tree["columns"][2]["marked"] = true;
  EXPECT_THAT(error_of([&] { schema_from_json(tree); }, Error::Kind::model), HasSubstr("not numeric"));
}

TEST(SchemaJson, KeepsWordsAmongNumbersAndRefusesThemElsewhere) {
  Schema schema = sample();
  schema.columns[1].mixed = true;
  nlohmann::json tree = schema_to_json(schema);
  EXPECT_EQ(schema_from_json(tree), schema);
  tree["columns"][2]["mixed"] = true;
  EXPECT_THAT(error_of([&] { schema_from_json(tree); }, Error::Kind::model), HasSubstr("words among numbers"));
}

TEST(SchemaJson, ContradictionsAreRefused) {
  const nlohmann::json good = schema_to_json(sample());
  const auto refused = [&](auto change) {
    nlohmann::json tree = good;
    change(tree);
    return error_of([&] { schema_from_json(tree); }, Error::Kind::model);
  };
  EXPECT_THAT(refused([](auto& t) { t["extra"] = 1; }), HasSubstr("unknown key 'extra'"));
  EXPECT_THAT(refused([](auto& t) { t["inputs"] = 5; }), HasSubstr("add up"));
  EXPECT_THAT(refused([](auto& t) { t["targets"] = 2; }), HasSubstr("add up"));
  EXPECT_THAT(refused([](auto& t) { t["labels"] = nlohmann::json::array(); }), HasSubstr("without labels"));
  EXPECT_THAT(refused([](auto& t) { t["labels"] = {"a", "a"}; }), HasSubstr("twice"));
  EXPECT_THAT(refused([](auto& t) { t["task"] = "regression"; }), HasSubstr("task is regression"));
  EXPECT_THAT(refused([](auto& t) { t["index_base"] = 2; }), HasSubstr("index_base"));
  EXPECT_THAT(refused([](auto& t) { t["columns"][0]["levels"] = {"a"}; }), HasSubstr("no input"));
  EXPECT_THAT(refused([](auto& t) {
                t["columns"][1]["levels"] = {"a"};
                t["columns"][1]["marked"] = true;
                t["inputs"] = 5;
              }),
              HasSubstr("levels in a column of numbers"));
  EXPECT_THAT(refused([](auto& t) { t["columns"][2]["fill"] = 1; }), HasSubstr("not numeric"));
  EXPECT_THAT(refused([](auto& t) { t["columns"][2]["levels"] = {"a", "a", "b"}; }), HasSubstr("twice"));
  EXPECT_THAT(refused([](auto& t) { t["columns"][0]["kind"] = "odd"; }), HasSubstr("odd"));
  EXPECT_THAT(error_of([&] { schema_from_json(nlohmann::json::array()); }, Error::Kind::model), HasSubstr("object"));
}

}  // namespace
}  // namespace bochner
