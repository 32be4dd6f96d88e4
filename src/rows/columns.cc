// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/columns.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "base/require.h"
#include "rows/labels.h"
#include "rows/text_index.h"

namespace bochner {

namespace {

// Levenshtein distance, capital letters alike.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? char(c | 0x20) : c; };
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

std::string near_names(const std::string& wanted, const std::vector<std::string>& names) {
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(wanted, name);
    if (3 * distance <= std::max<std::size_t>(3, std::max(wanted.size(), name.size())))
      near.emplace_back(distance, name);
  }
  if (near.empty()) return "the columns are " + shortened_list(names, 20);
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> close;
  for (const auto& entry : near) close.push_back(entry.second);
  return "did you mean " + shortened_list(close, 5) + "?";
}

}  // namespace

std::optional<std::size_t> ColumnNames::find_name(const std::string& name) const {
  const auto at = std::find(names.begin(), names.end(), name);
  return at == names.end() ? std::nullopt : std::optional<std::size_t>(std::size_t(at - names.begin()));
}

std::size_t ColumnNames::find(const std::string& wanted) const {
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
  fail(Error::Kind::data, "{}: no column '{}'; {}", path, shown(wanted), near_names(wanted, names));
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
         shortened_list(names.names, 20));
  if (std::count(roles.begin(), roles.end(), Column::Kind::numeric) == 0)
    fail(Error::Kind::data, "{}: no column is left as an input (columns: {}); check the delimiter and the target",
         names.path, shortened_list(names.names));
  return roles;
}

namespace {

std::vector<std::size_t> match_by_name(const ColumnNames& file, const Schema& schema, bool targets_required) {
  std::vector<std::size_t> match(file.names.size(), kNoColumn);
  std::vector<std::string> absent;
  std::vector<std::string> absent_targets;
  for (std::size_t c = 0; c < schema.columns.size(); ++c) {
    const Column& column = schema.columns[c];
    if (column.kind == Column::Kind::ignored) continue;
    if (const auto at = file.find_name(column.name))
      match[*at] = c;
    else if (column.kind == Column::Kind::target)
      absent_targets.push_back(column.name);
    else if (column.kind != Column::Kind::weight)
      absent.push_back(column.name);
  }
  if (!absent.empty())
    fail(Error::Kind::data, "{}: the columns {} are missing, the model was trained on them; add them to the file",
         file.path, shortened_list(absent));
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
