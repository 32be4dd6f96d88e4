// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "choose/column_notes.h"

#include <algorithm>

#include "base/option.h"
#include "base/require.h"
#include "choose/offsets.h"
#include "choose/scaling_rule.h"
#include "rows/column_inputs.h"

namespace bochner {

namespace {

// Whether the input is the number of its row, counted from anywhere.
bool counts_rows(const Survey& survey, std::size_t input) {
  constexpr std::size_t kEnough = 20;
  const auto rows = survey.sample(1000);
  if (rows.size() < kEnough) return false;
  const auto from = [&](const Survey::SampledRow& row) { return row.values[input] - double(row.row); };
  return std::all_of(rows.begin(), rows.end(), [&](const auto& row) { return from(row) == from(rows[0]); });
}

}  // namespace

std::vector<std::string> constants_notes(const Schema& schema, const Survey& survey,
                                         const std::vector<std::size_t>& constants) {
  constexpr std::size_t kNamed = 5;
  if (constants.empty()) return {};
  if (schema.sparse || constants.size() > 2 * kNamed)
    return {fmt::format("constant inputs: {} of {} never vary and are left out", constants.size(), schema.inputs)};
  const std::vector<std::string> names = schema.input_names();
  std::vector<std::string> notes;
  const std::vector<char> marks = mark_inputs(schema);
  const auto constant = [&](std::size_t j) { return std::binary_search(constants.begin(), constants.end(), j); };
  for (const std::size_t j : constants) {
    if (marks[j]) continue;  // if its column varies, no row of these lacks a cell
    const double value = survey.columns()[j].min + (schema.offsets.empty() ? 0 : schema.offsets[j]);
    const bool marked = j + 1 < schema.inputs && marks[j + 1];
    if (marked && !constant(j + 1))
      notes.push_back(fmt::format("{}: constant ({:g}) or missing; which of the two is its input", names[j], value));
    else if (marked && survey.columns()[j + 1].min == 1)
      notes.push_back(fmt::format("{}: missing in every row, left out", names[j]));
    else
      notes.push_back(fmt::format("{}: constant ({:g}), left out", names[j], value));
  }
  return notes;
}

// Inputs that count rows: the index of a table that was written with it. New files count anew.
std::vector<std::string> counters_notes(const Schema& schema, const Survey& survey) {
  std::vector<std::string> notes;
  if (schema.sparse) return notes;
  std::size_t input = 0;
  for (const Column& column : schema.columns) {
    if (column.kind == Column::Kind::numeric && column.dates == Column::Dates::none && counts_rows(survey, input))
      notes.push_back(fmt::format("{}: counts the rows, as every file does anew; {} leaves it out", column.name,
                                  spelled(Option::ignore, column.name)));
    input += column.inputs();
  }
  return notes;
}

std::string offsets_note(const Schema& schema) {
  return "offsets: " + offsets_text(schema) + ", before rounding to float";
}

std::vector<std::string> column_notes(const Schema& schema, const Survey& survey) {
  std::vector<std::size_t> constants;
  for (std::size_t j = 0; j < schema.inputs; ++j)
    if (is_constant(survey, j)) constants.push_back(j);
  std::vector<std::string> notes = counters_notes(schema, survey);
  if (!schema.offsets.empty()) notes.push_back(offsets_note(schema));
  for (std::string& line : constants_notes(schema, survey, constants)) notes.push_back(std::move(line));
  return notes;
}

}  // namespace bochner
