// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/csv_tally.h"

#include <algorithm>
#include <numeric>

#include "base/option.h"
#include "rows/csv_cell.h"
#include "rows/date.h"
#include "rows/number.h"

namespace bochner {

namespace {

using Dates = Column::Dates;

// A column of ever new texts (names, identifiers) lists its first ones only, so that memory stays bounded.
constexpr std::size_t kMostListedBytes = std::size_t{64} << 20;

}  // namespace

void DateTally::add(std::string_view text) {
  if (!possible) return;
  const std::optional<double> day = parse_date(text, Dates::day_first), month = parse_date(text, Dates::month_first);
  if (!day && !month) possible = false;
  year_first += parse_date(text, Dates::year_first).has_value();
  day_first += day.has_value();
  month_first += month.has_value();
  day_first_sum += day.value_or(0);
  month_first_sum += month.value_or(0);
}

void DateTally::merge(const DateTally& part) {
  possible = possible && part.possible;
  year_first += part.year_first;
  day_first += part.day_first;
  month_first += part.month_first;
  day_first_sum += part.day_first_sum;
  month_first_sum += part.month_first_sum;
}

void ColumnTally::add_level(std::string_view text, std::size_t count) {
  if (levels.bytes() > kMostListedBytes && levels.find(text) == TextIndex::kNone) return;
  const std::uint32_t level = levels.insert(text);
  if (level == counts.size()) counts.push_back(0);
  counts[level] += count;
}

void ColumnTally::merge(const ColumnTally& part) {
  numbers += part.numbers;
  missing += part.missing;
  doubtful += part.doubtful;
  texts += part.texts;
  specials += part.specials;
  values.merge(part.values);
  for (std::uint32_t i = 0; i < part.levels.size(); ++i) add_level(part.levels.text(i), part.counts[i]);
  dates.merge(part.dates);
  if (is_target) kinds.merge(part.kinds);
}

std::size_t ColumnTally::listed() const { return std::accumulate(counts.begin(), counts.end(), std::size_t{0}); }

std::vector<std::string> ColumnTally::ranked_levels() const {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (std::uint32_t i = 0; i < levels.size(); ++i) ranked.emplace_back(counts[i], levels.text(i));
  if (missing > 0) ranked.emplace_back(missing, "");
  std::sort(ranked.begin(), ranked.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  std::vector<std::string> names;
  for (auto& entry : ranked) names.push_back(std::move(entry.second));
  return names;
}

std::vector<std::string> ColumnTally::top_levels(std::size_t most) const {
  std::vector<std::string> names = ranked_levels();
  names.resize(std::min(most, names.size()));
  std::sort(names.begin(), names.end());
  return names;
}

void CsvTally::merge(CsvTally& part, const ChunkReader& reader) {
  rows += part.rows;
  dropped += part.dropped;
  for (std::size_t c = 0; c < gaps.size(); ++c) gaps[c] += part.gaps[c];
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto keep_first = [&](FirstCell& first, FirstCell& other) {
      if (!first.place.empty() || !other.at) return;
      first.place = reader.place(other.at);
      first.text = std::move(other.text);
    };
    keep_first(columns[c].first_text, part.columns[c].first_text);
    keep_first(columns[c].first_special, part.columns[c].first_special);
    keep_first(columns[c].first_negative, part.columns[c].first_negative);
    keep_first(columns[c].first_doubtful, part.columns[c].first_doubtful);
    columns[c].merge(part.columns[c]);
  }
}

void complain_ragged(const char* row, const CsvLayout& layout, Complaint& complaint) {
  const char* p = row;
  const std::size_t found = read_row(p, layout.delimiter).size();
  const char* const what = layout.header ? "as in the header" : "as in the first row";
  if (*row == '#')
    return complaint.say(row, "a line that begins with #, expected {} cells {}; remove comments (grep -v '^#')",
                         layout.columns(), what);
  complaint.say(row, "{} cells, expected {} {}; mend the row, or quote cells that hold '{}'", found, layout.columns(),
                what, layout.delimiter == '\t' ? "\\t" : std::string(1, layout.delimiter));
}

namespace {

using Mode = ColumnTally::Mode;
using Kind = Column::Kind;

// A cell that is not just a number in an input column. False after a complaint.
bool tally_cell(const CsvCell& cell, const std::string& name, std::size_t c, const TallyRules& rules,
                ColumnTally& column, Complaint& complaint) {
  if (column.mode == Mode::skip) return true;
  const Kind role = rules.roles[c];
  const Among among = rules.among[c];
  double value = 0;
  const CellKind kind = rules.cells.kind(cell.text, among, value);
  if (kind == CellKind::missing && role == Kind::target && rules.missing_targets) return true;  // "" is no class
  if (kind == CellKind::missing) {
    ++column.missing;
    complain_missing(cell.begin, name, role, rules.missing, MissingRemedy::drop_rows, complaint);
    return complaint.at == nullptr;
  }
  if (column.mode == Mode::text) {
    column.add_level(cell.text);
  } else if (kind == CellKind::number) {
    column.values.add(value);
    if (role == Kind::target) column.kinds.add(value);
    if (role == Kind::weight && value < 0) column.first_negative.note(cell.begin, cell.text);
  } else {
    if (rules.cells.doubtful(cell.text)) {
      ++column.doubtful;
      column.first_doubtful.note(cell.begin, cell.text);
    } else if (kind == CellKind::text) {
      ++column.texts;
      column.first_text.note(cell.begin, cell.text);
      column.dates.add(cell.text);
    } else {
      ++column.specials;
      column.first_special.note(cell.begin, cell.text);
    }
    column.add_level(cell.text);
  }
  return true;
}

// The inner loop's part of a column, kept small.
struct QuickTally {
  NumberTally values;
  bool input = false;
  char stop = '\n';
};

}  // namespace

void complain_missing(const char* at, const std::string& name, Kind role, Missing missing, MissingRemedy remedy,
                      Complaint& complaint) {
  if (role == Kind::target || role == Kind::weight)
    complaint.say(at, "the {} '{}' is missing, expected a value; {}", role == Kind::target ? "target" : "weight",
                  shown(name),
                  remedy == MissingRemedy::remove_row
                      ? "fill it in or remove the row"
                      : fmt::format("fill it in, or leave such rows out ({})", spelled(Option::missing, "drop")));
  else if (missing == Missing::error)
    complaint.say(at, "column '{}' has no value here; fill it in, or choose {} or drop", shown(name),
                  spelled(Option::missing, "mean"));
}

void tally_piece(const char* begin, const char* end, const CsvLayout& layout, const TallyRules& rules,
                 CsvTally& tally) {
  const std::size_t columns = rules.roles.size();
  const char point = rules.cells.decimal();
  // A number may be taken as soon as it is seen, unless it may mean a missing cell or its comma may be a delimiter.
  const bool plain = !rules.cells.numbers_may_be_missing() && point != layout.delimiter;
  std::vector<QuickTally> quick;
  for (std::size_t c = 0; c < columns; ++c)
    quick.push_back({.values = {},
                     .input = plain && rules.roles[c] == Kind::numeric && tally.columns[c].mode == Mode::numbers,
                     .stop = c + 1 == columns ? '\n' : layout.delimiter});
  std::string scratch;
  for (const char* p = begin; p < end;) {
    const char* const row = p;
    if (static_cast<unsigned char>(*p) <= ' ') {
      if (const char* blank = blank_line(p, layout.delimiter)) {
        p = blank + 1;
        continue;
      }
    }
    if (rules.missing == Missing::drop) {
      if (const char* next = skip_incomplete(p, layout.delimiter, rules.cells, rules.among, &tally.gaps)) {
        ++tally.dropped;
        p = next;
        continue;
      }
    }
    for (std::size_t c = 0; c < columns; ++c) {
      QuickTally& column = quick[c];
      if (column.input) {
        const unsigned digit = static_cast<unsigned char>(*p - '0');
        if (digit < 10 && p[1] == column.stop) {  // indicators and small counts are most of many files
          column.values.add(digit);
          p += 2;
          continue;
        }
        double value = 0;
        if (const char* q = parse_decimal(p, value, point); q && *q == column.stop) {
          column.values.add(value);
          p = q + 1;
          continue;
        }
      }
      const CsvCell cell = read_cell(p, layout.delimiter, scratch);
      if (cell.complaint) return tally.complaint.say(cell.next, "{}", cell.complaint);
      if (*cell.next != column.stop) return complain_ragged(row, layout, tally.complaint);
      if (!tally_cell(cell, layout.names.names[c], c, rules, tally.columns[c], tally.complaint)) return;
      p = cell.next + 1;
    }
    ++tally.rows;
  }
  for (std::size_t c = 0; c < columns; ++c) {
    ColumnTally& column = tally.columns[c];
    column.values.merge(quick[c].values);
    if (column.mode == Mode::numbers)
      column.numbers = tally.rows - column.missing - column.doubtful - column.texts - column.specials;
  }
}

}  // namespace bochner
