// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/csv_cell.h"

namespace bochner {

namespace {

bool is_space(char c, char delimiter) { return (c == ' ' || c == '\t' || c == '\r') && c != delimiter; }

std::string_view trimmed(const char* begin, const char* end, char delimiter) {
  while (begin < end && is_space(*begin, delimiter)) ++begin;
  while (begin < end && is_space(end[-1], delimiter)) --end;
  return {begin, std::size_t(end - begin)};
}

}  // namespace

CsvCell read_cell(const char* p, char delimiter, std::string& scratch) {
  while (is_space(*p, delimiter)) ++p;
  CsvCell cell;
  cell.begin = p;
  if (*p != '"') {
    while (*p != delimiter && *p != '\n') ++p;
    cell.text = trimmed(cell.begin, p, delimiter);
    cell.next = p;
    return cell;
  }
  const char* const inside = ++p;
  bool doubled = false;
  for (; *p != '"' || p[1] == '"'; ++p) {
    if (*p == '"') {  // the first of two
      doubled = true;
      ++p;
    }
  }
  cell.text = trimmed(inside, p, delimiter);
  if (doubled) {
    scratch.clear();
    for (std::size_t i = 0; i < cell.text.size(); ++i) {
      scratch.push_back(cell.text[i]);
      if (cell.text[i] == '"') ++i;
    }
    cell.text = scratch;
  }
  ++p;
  while (is_space(*p, delimiter)) ++p;
  cell.next = p;
  if (*p != delimiter && *p != '\n')
    cell.complaint = "text behind a closing quote, expected the delimiter; write a quote inside a cell twice (\"\")";
  return cell;
}

const char* blank_line(const char* p, char delimiter) {
  while (is_space(*p, delimiter)) ++p;
  return *p == '\n' ? p : nullptr;
}

const char* skip_incomplete(const char* p, char delimiter, const CellRules& rules, const std::vector<Among>& among,
                            std::vector<std::size_t>* gaps) {
  const char* const row = p;
  std::string scratch;
  bool incomplete = false;
  for (std::size_t c = 0;; ++c) {
    const CsvCell cell = read_cell(p, delimiter, scratch);
    const bool last = c + 1 == among.size();
    if (cell.complaint || (*cell.next == '\n') != last) return nullptr;  // ragged rows are complained of elsewhere
    incomplete = incomplete || rules.missing(cell.text, among[c]);
    p = cell.next + 1;
    if (last) break;
  }
  if (!incomplete) return nullptr;
  if (gaps) {
    const char* q = row;
    for (std::size_t c = 0; c < among.size(); ++c) {
      const CsvCell cell = read_cell(q, delimiter, scratch);
      (*gaps)[c] += rules.missing(cell.text, among[c]);
      q = cell.next + 1;
    }
  }
  return p;
}

std::vector<std::string> read_row(const char*& p, char delimiter) {
  std::vector<std::string> cells;
  std::string scratch;
  while (true) {
    const CsvCell cell = read_cell(p, delimiter, scratch);
    cells.emplace_back(cell.text);
    p = cell.next;
    while (*p != delimiter && *p != '\n') ++p;
    if (*p++ == '\n') return cells;
  }
}

}  // namespace bochner
