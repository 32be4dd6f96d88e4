// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/csv_cells.h"

#include <cmath>
#include <limits>

#include "base/option.h"
#include "rows/column_inputs.h"
#include "rows/columns.h"
#include "rows/csv_tally.h"
#include "rows/date.h"
#include "rows/number.h"
#include "rows/written_number.h"

namespace bochner {

namespace {

using Kind = Column::Kind;

}  // namespace

CsvCells::CsvCells(const Schema& schema, std::vector<std::string> names, const std::vector<std::size_t>& match,
                   const RowsOptions& options)
    : names_(std::move(names)),
      rules_(schema, options),
      task_(schema.task),
      missing_(schema.missing),
      max_levels_(schema.max_levels),
      lenient_(!options.target_required),
      labels_(schema.labels),
      label_names_(schema.labels) {
  std::vector<std::size_t> slots;  // one for each column of the schema
  std::size_t input = 0, target = 0;
  for (const Column& column : schema.columns) {
    slots.push_back(column.kind == Kind::target ? target++ : input);
    input += column.inputs();
    encoded_ = encoded_ || column.kind == Kind::category || column.marked || is_coded(column);
  }
  for (const std::size_t c : match) {
    CellPlan cell;
    if (c != kNoColumn) {
      const Column& column = schema.columns[c];
      cell.kind = column.kind;
      cell.slot = slots[c];
      cell.fill = column.fill;
      cell.marked = column.marked;
      cell.mixed = column.mixed;
      cell.dates = column.dates;
      if (options.date_order && column.dates != Column::Dates::none) cell.dates = *options.date_order;
      const bool texts = cell.kind == Kind::category || is_coded(column) ||
                         (cell.kind == Kind::target && task_ == Task::classification && !labels_.numeric());
      cell.among = cell.kind == Kind::ignored ? Among::nothing : texts ? Among::texts : Among::numbers;
      cell.levels = TextIndex(column.levels);
    }
    among_.push_back(cell.among);
    input_columns_ += cell.kind == Kind::numeric || cell.kind == Kind::category;
    plans_.push_back(std::move(cell));
  }
}

template <class T>
bool CsvCells::take(std::size_t c, const CsvCell& cell, RowPlace<T> to, Complaint& complaint) const {
  const CellPlan& plan = plans_[c];
  const std::string& name = names_[c];
  if (plan.kind == Kind::ignored) return true;
  if (plan.kind == Kind::target) return take_target(c, cell, to.targets[plan.slot], complaint);
  // The text itself comes first: an older model may have "null" as a level.
  if (plan.is_text() && !cell.text.empty() && put_level(plan, cell.text, to.inputs)) return true;
  double value = 0;
  CellKind kind = rules_.kind(cell.text, plan.among, value);
  if (plan.mixed && kind == CellKind::text && !written_number(cell.text).amount()) kind = CellKind::missing;
  if (kind == CellKind::missing) {
    complain_missing(cell.begin, name, plan.kind, missing_, MissingRemedy::remove_row, complaint);
    if (complaint.at) return false;
    ++to.rows.counts.missing;
  }
  if (plan.kind == Kind::weight) {
    to.weight = value;
    if (kind != CellKind::number || value < 0)
      complaint.say(cell.begin, "weight '{}' in column '{}', expected a number, 0 or more; correct it",
                    shown(cell.text), shown(name));
    return complaint.at == nullptr;
  }
  if (plan.is_text()) {
    if (kind == CellKind::missing)
      put_level(plan, "", to.inputs);
    else if (plan.is_coded() || plan.levels.size() < max_levels_)  // otherwise rare ones have no input
      to.rows.note_unknown(name, cell.text);
    return true;
  }
  return take_number(c, cell, {kind, value}, to.inputs + plan.slot, complaint);
}

template <class T>
bool CsvCells::put_level(const CellPlan& plan, std::string_view text, T* inputs) {
  const std::uint32_t level = plan.levels.find(text);
  if (level == TextIndex::kNone) return false;
  if (plan.is_coded())
    inputs[plan.slot] = T(level + 1);
  else
    inputs[plan.slot + level] = 1;
  return true;
}

template <class T>
bool CsvCells::take_number(std::size_t c, const CsvCell& cell, FoundCell found, T* input, Complaint& complaint) const {
  const CellPlan& plan = plans_[c];
  const std::string& name = names_[c];
  if (found.kind == CellKind::missing) {
    *input = T(plan.fill);
    if (plan.marked) input[1] = 1;
    return true;
  }
  if (plan.dates != Column::Dates::none) {
    const std::optional<double> days = parse_date(cell.text, plan.dates);
    if (!days) {
      complaint.say(cell.begin, "'{}' in column '{}', expected a date as in training; write it as 2024-03-31",
                    shown(cell.text), shown(name));
      return false;
    }
    found.value = *days;
  } else if (found.kind != CellKind::number) {
    complaint.say(cell.begin, "'{}' in column '{}', expected a {}; {}", shown(cell.text), shown(name),
                  found.kind == CellKind::special ? "finite number" : "number as in training",
                  number_remedy(cell.text));
    return false;
  }
  *input = T(found.value);
  if (!std::isfinite(*input))
    complaint.say(cell.begin, "'{}' in column '{}' is beyond the range of float; scale the column, or train with {}",
                  shown(cell.text), shown(name), Option::double_precision);
  return std::isfinite(*input);
}

std::string CsvCells::number_remedy(std::string_view text) const {
  const WrittenNumber::Form form = written_number(text).form;
  if (form == WrittenNumber::Form::comma && rules_.decimal() == '.')
    return fmt::format("give {} if the comma is a decimal one", spelled(Option::decimal, ","));
  if (form == WrittenNumber::Form::point && rules_.decimal() == ',')
    return fmt::format("give {} if the point is the decimal one", spelled(Option::decimal, "."));
  return fmt::format("correct it, or give {} if it means that there is none",
                     spelled(Option::missing_values, shown(text)));
}

bool CsvCells::take_target(std::size_t c, const CsvCell& cell, double& target, Complaint& complaint) const {
  const std::string& name = names_[c];
  double value = 0;
  const CellKind kind = rules_.kind(cell.text, plans_[c].among, value);
  target = std::numeric_limits<double>::quiet_NaN();
  // The text itself comes first: an older model may have "null" as a class, and with --decimal , a class may be "1.5".
  const int text_label = task_ == Task::classification ? labels_.find(cell.text) : LabelIndex::kUnknown;
  if (text_label != LabelIndex::kUnknown) {
    target = text_label;
    return true;
  }
  if (kind == CellKind::missing) {
    if (!lenient_) complain_missing(cell.begin, name, Kind::target, missing_, MissingRemedy::remove_row, complaint);
    return lenient_;
  }
  if (task_ == Task::regression) {
    target = value;
    if (kind != CellKind::number)
      complaint.say(cell.begin, "'{}' in target '{}', expected a finite number; correct it or remove the row",
                    shown(cell.text), shown(name));
    return kind == CellKind::number;
  }
  const int label = kind == CellKind::number ? labels_.find(value) : LabelIndex::kUnknown;
  if (label != LabelIndex::kUnknown) {
    target = label;
    return true;
  }
  if (!lenient_)
    complaint.say(cell.begin, "class '{}' in target '{}', the model knows only {}; correct it, or train on it",
                  shown(cell.text), shown(name), shortened_list(label_names_));
  return lenient_;
}

template bool CsvCells::take(std::size_t, const CsvCell&, RowPlace<float>, Complaint&) const;
template bool CsvCells::take(std::size_t, const CsvCell&, RowPlace<double>, Complaint&) const;

}  // namespace bochner
