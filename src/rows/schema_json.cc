// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/schema_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

#include "base/archive.h"
#include "base/require.h"
#include "rows/column_inputs.h"
#include "rows/labels.h"

namespace bochner {

namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 5> kKinds{"numeric", "category", "target", "weight", "ignored"};
constexpr std::array<std::string_view, 2> kTasks{"regression", "classification"};
constexpr std::array<std::string_view, 3> kMissings{"mean", "error", "drop"};
constexpr std::array<std::string_view, 4> kDates{"none", "year first", "day first", "month first"};
constexpr std::array<std::string_view, 2> kDecimals{".", ","};
constexpr std::uint64_t kMostInputs = 0xffffffff;

[[noreturn]] void damaged(const std::string& what) {
  fail(Error::Kind::model, "model: schema: {}; the model file is damaged, train or copy it again", what);
}

void check_keys(const json& tree, std::initializer_list<std::string_view> known) {
  if (!tree.is_object()) damaged("not an object");
  for (const auto& [key, value] : tree.items())
    if (std::find(known.begin(), known.end(), key) == known.end()) damaged("unknown key '" + shown(key) + "'");
}

template <std::size_t N>
std::size_t get_word(const json& tree, const std::string& key, const std::array<std::string_view, N>& words) {
  const std::string word = get_text(tree, key);
  const auto at = std::find(words.begin(), words.end(), word);
  if (at == words.end()) damaged("'" + key + "' is '" + shown(word) + "'");
  return std::size_t(at - words.begin());
}

std::vector<std::string> get_distinct_texts(const json& tree, const std::string& key) {
  const json& node = get_node(tree, key);
  if (!node.is_array()) damaged("'" + key + "' is not a list");
  std::vector<std::string> texts;
  std::set<std::string> seen;
  for (const json& item : node) {
    if (!item.is_string()) damaged("'" + key + "' holds something that is no text");
    texts.push_back(item.get<std::string>());
    if (!seen.insert(texts.back()).second) damaged("'" + key + "' holds '" + shown(texts.back()) + "' twice");
  }
  return texts;
}

std::vector<double> get_offsets(const json& node, std::size_t inputs) {
  if (!node.is_array() || node.size() != inputs) damaged("the offsets are not one per input");
  std::vector<double> offsets;
  for (const json& offset : node) {
    if (!offset.is_number() || !std::isfinite(offset.get<double>())) damaged("an offset is no finite number");
    offsets.push_back(offset.get<double>());
  }
  return offsets;
}

json column_to_json(const Column& column) {
  json tree{{"name", column.name}, {"kind", kKinds[std::size_t(column.kind)]}};
  if (column.kind == Column::Kind::category || is_coded(column)) tree["levels"] = column.levels;
  if (column.kind == Column::Kind::numeric) tree["fill"] = column.fill;
  if (column.dates != Column::Dates::none) tree["dates"] = kDates[std::size_t(column.dates)];
  if (column.identifier) tree["identifier"] = true;
  if (column.marked) tree["marked"] = true;
  if (column.mixed) tree["mixed"] = true;
  return tree;
}

Column column_from_json(const json& tree) {
  check_keys(tree, {"name", "kind", "levels", "fill", "dates", "identifier", "marked", "mixed"});
  Column column;
  column.name = get_text(tree, "name");
  column.kind = Column::Kind(get_word(tree, "kind", kKinds));
  if (column.kind == Column::Kind::category || (column.kind == Column::Kind::numeric && tree.contains("levels")))
    column.levels = get_distinct_texts(tree, "levels");
  else if (tree.contains("levels"))
    damaged("levels in a column that is no input");
  if (column.kind == Column::Kind::numeric)
    column.fill = get_number(tree, "fill");
  else if (tree.contains("fill"))
    damaged("a fill value in a column that is not numeric");
  if (tree.contains("dates")) column.dates = Column::Dates(get_word(tree, "dates", kDates));
  if (column.dates != Column::Dates::none && column.kind != Column::Kind::numeric)
    damaged("dates in a column that is not numeric");
  if (tree.contains("identifier")) column.identifier = get_flag(tree, "identifier");
  if (column.identifier && column.kind != Column::Kind::ignored) damaged("an identifier that is not ignored");
  if (tree.contains("marked")) column.marked = get_flag(tree, "marked");
  if (column.marked && column.kind != Column::Kind::numeric) damaged("a mark of missing cells that are not numeric");
  if (tree.contains("mixed")) column.mixed = get_flag(tree, "mixed");
  if (column.mixed && (column.kind != Column::Kind::numeric || column.dates != Column::Dates::none))
    damaged("words among numbers in a column that has none");
  if (is_coded(column) && (column.marked || column.mixed || column.dates != Column::Dates::none))
    damaged("levels in a column of numbers");
  return column;
}

}  // namespace

json schema_to_json(const Schema& schema) {
  json columns = json::array();
  for (const Column& column : schema.columns) columns.push_back(column_to_json(column));
  json tree{{"columns", std::move(columns)},
            {"header", schema.header},
            {"inputs", schema.inputs},
            {"sparse", schema.sparse},
            {"index_base", schema.index_base},
            {"task", kTasks[std::size_t(schema.task)]},
            {"labels", schema.labels},
            {"targets", schema.targets},
            {"missing", kMissings[std::size_t(schema.missing)]}};
  // Written only where they differ from what files without them mean.
  const Schema usual;
  if (schema.missing_values != usual.missing_values) tree["missing_values"] = schema.missing_values;
  if (schema.usual_missing != usual.usual_missing) tree["usual_missing"] = schema.usual_missing;
  if (schema.decimal != usual.decimal) tree["decimal"] = std::string(1, schema.decimal);
  if (schema.max_levels != usual.max_levels) tree["max_levels"] = schema.max_levels;
  if (!schema.offsets.empty()) tree["offsets"] = schema.offsets;
  return tree;
}

Schema schema_from_json(const json& tree) {
  check_keys(tree, {"columns", "header", "inputs", "sparse", "index_base", "task", "labels", "targets", "missing",
                    "missing_values", "usual_missing", "decimal", "max_levels", "offsets"});
  Schema schema;
  const json& columns = get_node(tree, "columns");
  if (!columns.is_array()) damaged("'columns' is not a list");
  std::size_t inputs = 0, targets = 0;
  for (const json& column : columns) {
    schema.columns.push_back(column_from_json(column));
    const Column& last = schema.columns.back();
    inputs += last.inputs();
    targets += last.kind == Column::Kind::target;
  }
  schema.header = get_flag(tree, "header");
  schema.inputs = get_count(tree, "inputs", kMostInputs);
  schema.sparse = get_flag(tree, "sparse");
  schema.index_base = int(get_count(tree, "index_base", 1));
  schema.task = Task(get_word(tree, "task", kTasks));
  schema.labels = get_distinct_texts(tree, "labels");
  schema.targets = get_count(tree, "targets", kMostInputs);
  schema.missing = Missing(get_word(tree, "missing", kMissings));
  if (tree.contains("missing_values")) schema.missing_values = get_distinct_texts(tree, "missing_values");
  if (tree.contains("usual_missing")) schema.usual_missing = get_flag(tree, "usual_missing");
  if (tree.contains("decimal")) schema.decimal = kDecimals[get_word(tree, "decimal", kDecimals)][0];
  if (tree.contains("max_levels")) schema.max_levels = get_count(tree, "max_levels", kMostInputs);
  if (tree.contains("offsets")) schema.offsets = get_offsets(tree["offsets"], schema.inputs);
  if (schema.inputs == 0) damaged("no inputs");
  if (!columns.empty() && (inputs != schema.inputs || targets < schema.targets))
    damaged("the columns do not add up to the inputs and targets");
  if (schema.task == Task::regression && !schema.labels.empty()) damaged("labels, but the task is regression");
  if (schema.task == Task::classification && schema.targets > 0 && schema.labels.empty())
    damaged("classes without labels");
  if (schema.task == Task::classification && schema.targets > 1) damaged("classification with several targets");
  return schema;
}

}  // namespace bochner
