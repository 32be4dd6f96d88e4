// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/columns.h"

#include <algorithm>
#include <charconv>

#include "base/option.h"
#include "base/require.h"
#include "rows/labels.h"
#include "rows/near_names.h"
#include "rows/text_index.h"

namespace bochner {

std::optional<std::size_t> ColumnNames::find_name(const std::string& name) const {
  const auto at = std::find(names.begin(), names.end(), name);
  return at == names.end() ? std::nullopt : std::optional<std::size_t>(std::size_t(at - names.begin()));
}

std::size_t ColumnNames::find(const std::string& wanted) const {
  refuse_repeated(wanted);
  if (const auto found = find_name(wanted)) return *found;
  long index = 0;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
  if (error == std::errc{} && end == wanted.data() + wanted.size()) {
    const long count = long(names.size());
    if (index >= -count && index < count) return std::size_t(index < 0 ? index + count : index);
    fail(Error::Kind::data, "{}: no column {}, the file has {}; count from 0 (or from -1 at the end)", path, wanted,
         count);
  }
  if (!header)
    fail(Error::Kind::data, "{}: no column '{}', the file has no header line; give the column's index from 0 to {}",
         path, shown(wanted), names.size() - 1);
  if (names.size() == 1)
    fail(Error::Kind::data, "{}: no column '{}', the file has one column, '{}'; check the delimiter", path,
         shown(wanted), shown(names[0]));
  fail(Error::Kind::data, "{}: no column '{}'; {}", path, shown(wanted), near_names(wanted, names));
}

void ColumnNames::refuse_repeated(const std::string& name) const {
  if (std::find(repeated.begin(), repeated.end(), name) != repeated.end())
    fail(Error::Kind::data,
         "{}: several columns have the name '{}', expected one; rename the others, or give the column's index from 0 "
         "and those of the others to {}",
         path, shown(name), Option::ignore);
}

std::vector<std::string> numbered_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("x{}", i));
  return names;
}

std::vector<std::string> tidy_names(std::vector<std::string> cells) {
  TextIndex seen;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].empty()) cells[i] = fmt::format("x{}", i);
    std::string name = cells[i];
    for (int copy = 1; seen.find(name) != TextIndex::kNone; ++copy) name = fmt::format("{}.{}", cells[i], copy);
    seen.insert(name);
    cells[i] = name;
  }
  return cells;
}

std::vector<std::string> repeated_names(const std::vector<std::string>& cells) {
  std::vector<std::string> sorted = cells, repeated;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (!sorted[i].empty() && sorted[i] == sorted[i - 1] && (repeated.empty() || repeated.back() != sorted[i]))
      repeated.push_back(sorted[i]);
  return repeated;
}

std::vector<Column::Kind> assign_roles(const ColumnNames& names, const RowsOptions& options) {
  std::vector<Column::Kind> roles(names.names.size(), Column::Kind::numeric);
  const auto assign = [&](const std::string& wanted, Column::Kind role) {
    Column::Kind& current = roles[names.find(wanted)];
    if (current != Column::Kind::numeric && current != role)
      fail(Error::Kind::data, "{}: column '{}' is named twice among target, weights and ignored; choose one",
           names.path, wanted);
    current = role;
  };
  for (const std::string& target : options.targets) assign(target, Column::Kind::target);
  if (!options.weights.empty()) assign(options.weights, Column::Kind::weight);
  for (const std::string& column : options.ignore) assign(column, Column::Kind::ignored);
  if (options.targets.empty() && options.target_required)
    fail(Error::Kind::data, "{}: no target given; name the column to learn, one of {}", names.path,
         both_ends(names.names));
  if (std::count(roles.begin(), roles.end(), Column::Kind::numeric) == 0)
    fail(Error::Kind::data, "{}: no column is left as an input (columns: {}); check the delimiter and the target",
         names.path, shortened_list(names.names));
  return roles;
}

namespace {

// The names in other letters that the file has instead.
std::string remedy_for_absent(const std::vector<std::string>& absent, const std::vector<std::string>& names) {
  std::vector<std::string> alike;
  for (const std::string& wanted : absent)
    for (const std::string& name : names)
      if (same_letters(wanted, name)) alike.push_back(name);
  return alike.empty()
             ? "add them to the file"
             : fmt::format("the file has {}: small and capital letters differ, rename them", shortened_list(alike));
}

std::vector<std::size_t> match_by_name(const ColumnNames& file, const Schema& schema, bool targets_required) {
  std::vector<std::size_t> match(file.names.size(), kNoColumn);
  std::vector<std::string> absent;
  std::vector<std::string> absent_targets;
  for (std::size_t c = 0; c < schema.columns.size(); ++c) {
    const Column& column = schema.columns[c];
    if (column.kind == Column::Kind::ignored) continue;
    if (column.kind == Column::Kind::target) file.refuse_repeated(column.name);
    if (const auto at = file.find_name(column.name))
      match[*at] = c;
    else if (column.kind == Column::Kind::target)
      absent_targets.push_back(column.name);
    else if (column.kind != Column::Kind::weight)
      absent.push_back(column.name);
  }
  if (!absent.empty())
    fail(Error::Kind::data, "{}: the columns {} are missing, the model was trained on them; {}", file.path,
         shortened_list(absent), remedy_for_absent(absent, file.names));
  if (targets_required && !absent_targets.empty())
    fail(Error::Kind::data, "{}: the target {} is missing; add the column, or predict instead of evaluating", file.path,
         shortened_list(absent_targets));
  return match;
}

std::vector<std::size_t> match_by_position(const ColumnNames& file, const Schema& schema, bool targets_required) {
  using Kind = Column::Kind;
  const auto columns_without = [&](std::initializer_list<Kind> left_out) {
    std::vector<std::size_t> kept;
    for (std::size_t c = 0; c < schema.columns.size(); ++c)
      if (std::find(left_out.begin(), left_out.end(), schema.columns[c].kind) == left_out.end()) kept.push_back(c);
    return kept;
  };
  const std::size_t count = file.names.size();
  const std::vector<std::size_t> all = columns_without({});
  if (all.size() == count) return all;
  const std::vector<std::size_t> inputs = columns_without({Kind::target});
  if (targets_required)
    fail(Error::Kind::data,
         "{}: {} columns, expected {} as in training with the target in its place; columns are matched by position "
         "unless both files have a header",
         file.path, count, all.size());
  if (inputs.size() == count) return inputs;
  const std::vector<std::size_t> bare = columns_without({Kind::target, Kind::weight});
  if (bare.size() == count) return bare;
  fail(Error::Kind::data,
       "{}: {} columns, expected {} as in training or {} without the target; columns are matched by position unless "
       "both files have a header",
       file.path, count, all.size(), inputs.size());
}

// A schema that names no columns (rows from memory or svmlight): all columns but the ones the options name are inputs.
std::vector<std::size_t> match_unnamed(const ColumnNames& file, const RowsOptions& options, Schema& schema) {
  RowsOptions roles_wanted = options;
  roles_wanted.target_required = false;
  const std::vector<Column::Kind> roles = assign_roles(file, roles_wanted);
  const std::size_t inputs = std::size_t(std::count(roles.begin(), roles.end(), Column::Kind::numeric));
  if (inputs != schema.inputs)
    fail(Error::Kind::data, "{}: {} input columns, the model expects {}; name the target, or ignore columns", file.path,
         inputs, schema.inputs);
  if (options.target_required && options.targets.size() != schema.targets)
    fail(Error::Kind::data, "{}: {} targets given, the model has {}; name the target columns", file.path,
         options.targets.size(), schema.targets);
  std::vector<std::size_t> match;
  for (std::size_t c = 0; c < roles.size(); ++c) {
    schema.columns.push_back({.name = file.names[c], .kind = roles[c], .levels = {}, .fill = 0});
    match.push_back(c);
  }
  return match;
}

}  // namespace

std::vector<std::size_t> match_columns(const ColumnNames& file, const RowsOptions& options, Schema& schema,
                                       bool& weighted) {
  std::vector<std::size_t> match = schema.columns.empty() ? match_unnamed(file, options, schema)
                                   : file.header && schema.header
                                       ? match_by_name(file, schema, options.target_required)
                                       : match_by_position(file, schema, options.target_required);
  std::size_t targets = 0;
  weighted = false;
  for (const std::size_t c : match) {
    if (c == kNoColumn) continue;
    targets += schema.columns[c].kind == Column::Kind::target;
    weighted = weighted || schema.columns[c].kind == Column::Kind::weight;
  }
  if (targets != schema.targets) {  // some but not all of them are as good as none
    for (std::size_t& c : match)
      if (c != kNoColumn && schema.columns[c].kind == Column::Kind::target) c = kNoColumn;
    schema.targets = 0;
  }
  return match;
}

}  // namespace bochner
