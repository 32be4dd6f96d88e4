// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/csv_layout.h"

#include <algorithm>
#include <array>

#include "base/require.h"
#include "rows/byte_source.h"
#include "rows/chunk_reader.h"
#include "rows/csv_cell.h"
#include "rows/date.h"
#include "rows/no_rows.h"
#include "rows/width.h"
#include "rows/written_number.h"

namespace bochner {

namespace {

constexpr std::size_t kHeadBytes = 64 * 1024;
constexpr std::size_t kSampleRows = 1000;
constexpr std::array kDelimiters{',', ';', '\t', '|'};

using Row = std::vector<std::string>;

struct Head {
  char delimiter = ',';
  CellRules rules;
  Row first;
  std::vector<Row> below;  // a sample
};

// Whether the commas of a line may all be decimal ones: between digits, one at most in a cell.
bool commas_are_decimal(std::string_view line, char delimiter) {
  const auto is_digit = [&](std::size_t i) { return i < line.size() && line[i] >= '0' && line[i] <= '9'; };
  bool seen = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == delimiter) seen = false;
    if (line[i] != ',') continue;
    if (seen || i == 0 || !is_digit(i - 1) || !is_digit(i + 1)) return false;
    seen = true;
  }
  return true;
}

// The candidate that the first line has most of, quoted text and decimal commas apart.
char find_delimiter(const char* begin, const char* end) {
  std::array<std::size_t, kDelimiters.size()> counts{};
  bool quoted = false;
  const char* p = begin;
  for (; p < end && (quoted || *p != '\n'); ++p) {
    quoted = quoted != (*p == '"');
    for (std::size_t i = 0; i < kDelimiters.size(); ++i) counts[i] += !quoted && *p == kDelimiters[i];
  }
  const auto most = std::max_element(counts.begin() + 1, counts.end());  // but the comma, which is the first
  const char other = kDelimiters[std::size_t(most - counts.begin())];
  const bool comma = *most == 0 || (counts[0] >= *most && !commas_are_decimal({begin, p}, other));
  return comma ? ',' : other;
}

// What makes the first rows unreadable as CSV though they are text.
void check_text(const std::string& path, std::string_view text) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) return;  // UTF-16: the chunk reader says so
  if (text.find('\0') != text.npos)
    fail(Error::Kind::data, "{}: holds zero bytes, expected text; is this a CSV file?", path);
  const std::size_t carriage = text.find('\r');
  if (carriage != text.npos && text.find('\n') == text.npos && text.find_first_not_of(" \r", carriage) != text.npos)
    fail(Error::Kind::data, "{}:1:{}: lines end in \\r as on old Macs, expected \\n; convert them (tr '\\r' '\\n')",
         path, carriage + 1);
}

// Comments before the rows are not skipped, since a header may begin with # too: then it has as many cells as a row.
void check_comments(const std::string& path, const Head& head) {
  if (head.first.empty() || !head.first[0].starts_with('#')) return;
  const bool header = !head.below.empty() && head.below[0].size() == head.first.size() &&
                      (head.below[0].empty() || !head.below[0][0].starts_with('#'));
  if (!header)
    fail(Error::Kind::data,
         "{}:1:1: begins with a comment (#), expected a header or a row; remove comments (grep -v '^#')", path);
}

// Cells of the row that begins here, before they are made; more where quoted ones hold delimiters.
std::size_t most_cells(const char* begin, const char* end, char delimiter) {
  const char* const newline = std::find(begin, end, '\n');
  return 1 + std::size_t(std::count(begin, newline, delimiter));
}

Head read_head(const std::string& path, const RowsOptions& options, const CellRules& rules) {
  if (options.delimiter)
    require(*options.delimiter != '"' && *options.delimiter != '\n' && *options.delimiter != '\r' &&
                *options.delimiter != '\0',
            "csv: a quote, a line end or nothing cannot be the delimiter");
  // Find the delimiter in the first line, then let the chunk reader find whole rows.
  const ChunkSizes sizes = bounded({.chunk = kHeadBytes, .piece = kHeadBytes}, options);
  const std::unique_ptr<ByteSource> source = open_bytes(path, sizes.decompression);
  std::string text(kHeadBytes, '\0');
  text.resize(source->read(text.data(), text.size()));
  const char* line = text.data();
  const char* const end = line + text.size();
  while (line < end && (*line == ' ' || *line == '\r' || *line == '\n')) ++line;
  check_text(path, text);

  Head head;
  head.delimiter = options.delimiter.value_or(find_delimiter(line, end));
  head.rules = rules;
  ChunkReader reader(path, head.delimiter, sizes);
  bool found = false;
  while (head.below.empty() && reader.next()) {
    for (const char* p = reader.chunk().begin; p < reader.chunk().end && head.below.size() < kSampleRows;) {
      if (const char* blank = blank_line(p, head.delimiter)) {
        p = blank + 1;
      } else if (!found) {
        check_width(reader.place(p), most_cells(p, reader.chunk().end, head.delimiter), kTextColumnBytes, options);
        head.first = read_row(p, head.delimiter);
        found = true;
      } else {
        head.below.push_back(read_row(p, head.delimiter));
      }
    }
  }
  if (!found) fail_without_rows("{}:1:1: the file is empty, expected rows; check how it was written", path);
  check_comments(path, head);
  return head;
}

// A text that is a number in no writing.
bool is_text(const Head& head, const std::string& cell) {
  double value = 0;
  if (head.rules.kind(cell, Among::texts, value) != CellKind::text) return false;
  const WrittenNumber::Form form = written_number(cell).form;
  return form != WrittenNumber::Form::comma && form != WrittenNumber::Form::point;
}

bool is_date(const std::string& cell) {
  return parse_date(cell, Column::Dates::day_first) || parse_date(cell, Column::Dates::month_first);
}

enum class Below { nothing, numbers, dates, text };

Below kind_below(const Head& head, std::size_t column) {
  Below kind = Below::nothing;
  for (const Row& row : head.below) {
    if (column >= row.size() || head.rules.missing(row[column], Among::numbers)) continue;
    const Below cell = !is_text(head, row[column]) ? Below::numbers : is_date(row[column]) ? Below::dates : Below::text;
    if (cell == Below::text || (kind != Below::nothing && kind != cell)) return Below::text;
    kind = cell;
  }
  return kind;
}

bool comes_again(const Head& head, std::size_t column) {
  return std::any_of(head.below.begin(), head.below.end(), [&](const Row& row) {
    return column < row.size() && !row[column].empty() && row[column] == head.first[column];
  });
}

bool names_a_cell(const Head& head, const RowsOptions& options) {
  const auto in_first = [&](const std::string& name) {
    return !name.empty() && is_text(head, name) &&
           std::find(head.first.begin(), head.first.end(), name) != head.first.end();
  };
  return std::any_of(options.targets.begin(), options.targets.end(), in_first) || in_first(options.weights) ||
         std::any_of(options.ignore.begin(), options.ignore.end(), in_first) ||
         std::any_of(options.categories.begin(), options.categories.end(), in_first);
}

bool guess_header(const Head& head, const RowsOptions& options) {
  if (std::none_of(head.first.begin(), head.first.end(), [&](const std::string& cell) { return is_text(head, cell); }))
    return false;
  if (head.below.empty() || names_a_cell(head, options)) return true;
  bool values = false, again = false;
  for (std::size_t c = 0; c < head.first.size(); ++c) {
    const Below below = kind_below(head, c);
    const bool text = is_text(head, head.first[c]);
    if (text && (below == Below::numbers || (below == Below::dates && !is_date(head.first[c])))) return true;
    values = values || below == Below::numbers || below == Below::dates;
    again = again || comes_again(head, c);
  }
  return !values && !again;
}

bool guess_header(const Head& head, const Schema& schema) {
  if (schema.header)
    for (const Column& column : schema.columns)
      if (is_text(head, column.name) &&
          std::find(head.first.begin(), head.first.end(), column.name) != head.first.end())
        return true;
  if (schema.columns.size() != head.first.size()) return guess_header(head, RowsOptions{});
  for (std::size_t c = 0; c < head.first.size(); ++c) {
    const Column& column = schema.columns[c];
    const bool value = head.rules.missing(head.first[c], Among::numbers) ||
                       (column.dates != Column::Dates::none && is_date(head.first[c]));
    if (column.kind == Column::Kind::numeric && !value && is_text(head, head.first[c])) return true;
  }
  return false;
}

CsvLayout layout_of(const std::string& path, Head&& head, bool header) {
  CsvLayout layout{.delimiter = head.delimiter, .header = header, .names = {path, {}, header, {}}};
  if (header) layout.names.repeated = repeated_names(head.first);
  layout.names.names = header ? tidy_names(std::move(head.first)) : numbered_names(head.first.size());
  return layout;
}

}  // namespace

const char* CsvLayout::skip_header(const char* p) const {
  if (!header) return p;
  while (const char* blank = blank_line(p, delimiter)) p = blank + 1;
  read_row(p, delimiter);
  return p;
}

CsvLayout csv_layout(const std::string& path, const RowsOptions& options) {
  Head head = read_head(path, options, CellRules(options));
  const bool header = options.header.value_or(guess_header(head, options));
  return layout_of(path, std::move(head), header);
}

CsvLayout csv_layout(const std::string& path, const RowsOptions& options, const Schema& schema) {
  Head head = read_head(path, options, CellRules(schema, options));
  const bool header = options.header.value_or(guess_header(head, schema));
  return layout_of(path, std::move(head), header);
}

}  // namespace bochner
