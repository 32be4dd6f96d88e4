// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/time_cells.h"

#include <optional>
#include <string_view>

#include "base/require.h"
#include "rows/date.h"
#include "rows/labels.h"
#include "rows/number.h"

namespace bochner {

namespace {

std::optional<double> time_of(std::string_view cell, Column::Dates dates, char decimal) {
  if (cell.size() > 1 && cell.front() == '"') cell = cell.substr(1, cell.size() - 2);
  double value = 0;
  if (dates == Column::Dates::none && !cell.empty() && classify(cell, value, decimal) == CellKind::number) return value;
  return parse_date(cell, dates == Column::Dates::none ? Column::Dates::year_first : dates);
}

}  // namespace

double TimeCells::next(std::uint64_t row) {
  const std::string name = cells_.names.empty() ? "" : cells_.names[0];
  Column::Dates dates = Column::Dates::none;
  for (const Column& column : schema_.columns)
    if (column.name == name) dates = column.dates;
  require(!cells_.lines.empty(), "times: found none for row {}, expected one for each row", row);
  const std::optional<double> found = time_of(cells_.lines.front(), dates, schema_.decimal);
  if (!found)
    fail(Error::Kind::data,
         "row {}: '{}' in the column '{}' of times, expected a number or a date such as 2024-03-31; correct it", row,
         shown(cells_.lines.front()), name);
  cells_.lines.pop_front();
  return *found;
}

}  // namespace bochner
