// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/encoder.h"

#include <algorithm>
#include <map>

#include "base/require.h"
#include "rows/columns.h"
#include "rows/csv_cells.h"
#include "rows/number.h"

namespace bochner {

namespace {

using Kind = Column::Kind;

bool is_input(const Column& column) { return column.kind == Kind::numeric || column.kind == Kind::category; }

std::vector<std::string> names_of(const Schema& schema) {
  std::vector<std::string> names;
  for (const Column& column : schema.columns) names.push_back(column.name);
  return names;
}

std::vector<std::size_t> inputs_of(const Schema& schema) {
  std::vector<std::size_t> match;
  for (std::size_t c = 0; c < schema.columns.size(); ++c) match.push_back(is_input(schema.columns[c]) ? c : kNoColumn);
  return match;
}

std::string_view trimmed(std::string_view text) {
  constexpr const char* kSpaces = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

}  // namespace

struct Encoder::State {
  explicit State(const Schema& schema)
      : inputs(schema.inputs),
        names(names_of(schema)),
        cells(schema, names, inputs_of(schema), {.target_required = false}) {
    for (std::size_t c = 0; c < names.size(); ++c) {
      if (!is_input(schema.columns[c])) continue;
      columns.emplace(names[c], c);
      ++wanted;
    }
  }

  template <class T>
  void encode(const NamedCells& row, std::span<T> out) const {
    require(wanted > 0, "encode: the schema names no columns; give the inputs as numbers");
    require(out.size() == inputs, "encode: there is room for {} inputs, expected {}", out.size(), inputs);
    std::fill(out.begin(), out.end(), T(0));
    RowBuffer<T> counted;
    double weight = 0;
    std::vector<bool> seen(names.size(), false);
    std::size_t found = 0;
    std::string line;
    for (const auto& [name, text] : row) {
      const auto column = columns.find(name);
      if (column == columns.end()) continue;
      const std::size_t c = column->second;
      if (seen[c]) fail(Error::Kind::data, "encode: the column '{}' is named twice; give it once", shown(name));
      seen[c] = true;
      ++found;
      line = trimmed(text);
      line += '\n';  // where a cell ends
      if (take_number(c, line, out)) continue;
      CsvCell cell;
      cell.begin = line.data();
      cell.next = line.data() + line.size() - 1;
      cell.text = {line.data(), line.size() - 1};
      Complaint complaint;
      cells.take<T>(c, cell, {out.data(), nullptr, weight, counted}, complaint);
      if (complaint.at) fail(Error::Kind::data, "encode: {}", complaint.message);
    }
    if (found == wanted) return;
    std::vector<std::string> absent;
    for (const auto& [name, c] : columns)
      if (!seen[c]) absent.push_back(name);
    fail(Error::Kind::data,
         "encode: the columns {} are missing, the model was trained on them; give them, empty where "
         "there is no value",
         shortened_list(absent));
  }

  // A plain number is rounded once, to T, as CsvRows does.
  template <class T>
  bool take_number(std::size_t c, const std::string& line, std::span<T> out) const {
    const CellPlan& plan = cells.plans()[c];
    if (!plan.is_number() || cells.rules().numbers_may_be_missing()) return false;
    const char* end = parse_decimal(line.data(), out[plan.slot], cells.rules().decimal());
    return end && *end == '\n' && end + 1 == line.data() + line.size();
  }

  std::size_t inputs, wanted = 0;
  std::vector<std::string> names;
  CsvCells cells;
  std::map<std::string, std::size_t, std::less<>> columns;  // those that are inputs
};

Encoder::Encoder(const Schema& schema) : state_(std::make_shared<const State>(schema)) {}
Encoder::Encoder(const Encoder&) = default;
Encoder& Encoder::operator=(const Encoder&) = default;
Encoder::~Encoder() = default;

void Encoder::encode(const NamedCells& cells, std::span<float> inputs) const { state_->encode(cells, inputs); }
void Encoder::encode(const NamedCells& cells, std::span<double> inputs) const { state_->encode(cells, inputs); }

std::vector<double> encode(const Schema& schema, const NamedCells& cells) {
  std::vector<double> inputs(schema.inputs);
  Encoder(schema).encode(cells, std::span<double>(inputs));
  return inputs;
}

}  // namespace bochner
