// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/scan_notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/option.h"
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

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t more = byte < 0x80 ? 0 : byte >= 0xc2 && byte < 0xe0 ? 1 : byte >= 0xe0 && byte < 0xf0 ? 2 : 3;
    if (byte >= 0xf5 || (byte >= 0x80 && byte < 0xc2) || i + more >= text.size()) return false;
    for (std::size_t k = 1; k <= more; ++k)
      if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80) return false;
    i += more + 1;
  }
  return true;
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
    if (schema.columns[c].kind == Kind::numeric && column.missing + column.doubtful > 0)
      gaps.emplace_back(column.missing + column.doubtful, schema.columns[c].name);
  }
  if (!gaps.empty())
    lines_.push_back(
        fmt::format("missing of {} cells: {}; the mean stands in for them", tally.rows, most_gaps(std::move(gaps))));
}

void ScanNotes::encoding(const Schema& schema) {
  const auto say = [&](const std::string& what) {
    lines_.push_back(fmt::format(
        "{} not in UTF-8, kept byte by byte; iconv -f LATIN1 -t UTF-8 converts a file if that is what it is", what));
  };
  const auto foreign = [](const std::string& text) { return !is_utf8(text); };
  for (std::size_t c = 0; c < schema.columns.size(); ++c) {
    if (foreign(schema.columns[c].name)) return say(fmt::format("the name of column {} (from 0) is", c));
    if (std::any_of(schema.columns[c].levels.begin(), schema.columns[c].levels.end(), foreign))
      return say(fmt::format("text in column {} (from 0) is", c));
  }
  if (std::any_of(schema.labels.begin(), schema.labels.end(), foreign)) say("class labels are");
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
