// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/scan_notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/option.h"
#include "base/text_bytes.h"
#include "rows/column_inputs.h"
#include "rows/labels.h"

namespace bochner {

namespace {

using Kind = Column::Kind;

constexpr std::size_t kMostLines = 10;

// "23 in a, 5 in b, ...": the columns with most gaps first.
std::string most_gaps(std::vector<std::pair<std::size_t, std::string>> gaps) {
  std::stable_sort(gaps.begin(), gaps.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> items;
  for (const auto& [count, name] : gaps) items.push_back(fmt::format("{} in {}", count, shown(name)));
  std::string list = shortened_list(items, kMostLines);
  if (items.size() > kMostLines) list += fmt::format(" ({} columns)", items.size());
  return list;
}

bool is_foreign(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0) return true;
    text.remove_prefix(length);
  }
  return false;
}

// "names, cells of a, labels": those parts of the table that are no UTF-8.
std::vector<std::string> foreign_parts(const Schema& schema) {
  std::vector<std::string> names, cells, parts;
  for (const Column& column : schema.columns) {
    if (is_foreign(column.name)) names.push_back(column.name);
    if (std::any_of(column.levels.begin(), column.levels.end(), is_foreign)) cells.push_back(column.name);
  }
  if (!names.empty()) parts.push_back("the names of columns " + shortened_list(names, kMostLines));
  if (!cells.empty()) parts.push_back("cells of " + shortened_list(cells, kMostLines));
  if (std::any_of(schema.labels.begin(), schema.labels.end(), is_foreign)) parts.push_back("class labels");
  return parts;
}

}  // namespace

void ScanNotes::decimal_comma(const std::vector<std::string>& columns) {
  if (!columns.empty())
    lines_.push_back(fmt::format("numbers with a decimal comma, as in {}; {} takes them as text",
                                 shortened_list(columns, 5), spelled(Option::decimal, ".")));
}

void ScanNotes::columns(const std::vector<ColumnKind>& kinds) {
  std::size_t said = 0;
  for (const ColumnKind& kind : kinds)
    if (!kind.note.empty() && ++said <= kMostLines) lines_.push_back(kind.note);
  if (said > kMostLines) lines_.push_back(fmt::format("{} more columns like these", said - kMostLines));
}

void ScanNotes::repeated(const std::vector<std::string>& names) {
  if (!names.empty())
    lines_.push_back(fmt::format("several columns have the name {}; in new files they are told apart by their order",
                                 shortened_list(names, kMostLines)));
}

void ScanNotes::missing(const Schema& schema, const CsvTally& tally) {
  std::vector<std::pair<std::size_t, std::string>> gaps;
  if (tally.dropped > 0) {
    for (std::size_t c = 0; c < tally.gaps.size(); ++c)
      if (tally.gaps[c] > 0) gaps.emplace_back(tally.gaps[c], schema.columns[c].name);
    lines_.push_back(fmt::format("{} of {} rows left out, cells are missing: {}", tally.dropped,
                                 tally.dropped + tally.rows, most_gaps(std::move(gaps))));
    return;
  }
  for (std::size_t c = 0; c < schema.columns.size(); ++c) {
    const ColumnTally& column = tally.columns[c];
    if (schema.columns[c].kind == Kind::numeric && !is_coded(schema.columns[c]) && column.missing + column.doubtful > 0)
      gaps.emplace_back(column.missing + column.doubtful, schema.columns[c].name);
  }
  if (gaps.empty()) return;
  std::vector<std::string> marked;
  for (const Column& column : schema.columns)
    if (column.marked) marked.push_back(shown(column.name));
  lines_.push_back(fmt::format(
      "missing of {} cells: {}; the mean stands in for them{}", tally.rows, most_gaps(std::move(gaps)),
      marked.empty() ? "" : fmt::format(", and an input marks those of {}", shortened_list(marked, kMostLines))));
}

void ScanNotes::encoding(const Schema& schema) {
  if (const std::vector<std::string> parts = foreign_parts(schema); !parts.empty())
    lines_.push_back(fmt::format(
        "not in UTF-8: {}; kept byte by byte, iconv -f LATIN1 -t UTF-8 converts a file if that is what it is",
        fmt::join(parts, "; ")));
}

std::vector<std::string> schema_notes(const Schema& schema) {
  std::vector<std::string> identifiers, dates, lines;
  for (const Column& column : schema.columns) {
    if (column.identifier) identifiers.push_back(column.name);
    if (column.dates != Column::Dates::none) dates.push_back(column.name);
  }
  if (!identifiers.empty())
    lines.push_back(fmt::format("ignored, nearly every row has a text of its own: {}", shortened_list(identifiers)));
  if (!dates.empty()) lines.push_back(fmt::format("dates, taken as days since 1970-01-01: {}", shortened_list(dates)));
  if (schema.decimal == ',') lines.push_back("numbers with a decimal comma");
  return lines;
}

}  // namespace bochner
