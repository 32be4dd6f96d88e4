// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/frame_scan.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/require.h"
#include "rows/column_kind.h"
#include "rows/columns.h"
#include "rows/csv_tally.h"
#include "rows/date.h"
#include "rows/frame_column.h"
#include "rows/scan_notes.h"

namespace bochner {

namespace {

using Kind = Column::Kind;
using Dates = Column::Dates;

constexpr std::size_t kFewTexts = 20;  // too few to call a column of different texts one of identifiers

class FrameScanner {
 public:
  FrameScanner(const Frame& frame, const RowsOptions& options) : frame_(frame), options_(options) {
    require(options.max_levels > 0, "{}: at most 0 levels of a text column, expected 1 or more", frame.source);
    require(!frame.columns.empty(), "{}: no columns, expected inputs", frame.source);
    if (frame.rows == 0) fail(Error::Kind::data, "{}: no rows, expected some", frame.source);
  }

  FrameScan run() {
    Schema& schema = scan_.schema;
    schema.header = frame_.named;
    schema.missing = missing_rule(options_);
    require(schema.missing != Missing::drop,
            "{}: rows with missing cells to be dropped, expected them to be dropped by "
            "the owner; choose mean, mark or error",
            frame_.source);
    schema.max_levels = options_.max_levels;
    const std::vector<std::string> names = frame_names(frame_);
    scan_.counts.rows = tally_.rows = frame_.rows;
    for (std::size_t c = 0; c < frame_.columns.size(); ++c) {
      Column column{.name = names[c]};
      tally_.columns.emplace_back();
      kinds_.emplace_back();
      if (frame_.columns[c].type == FrameColumn::Type::codes)
        learn_texts(frame_.columns[c], column);
      else
        learn_numbers(frame_.columns[c], column);
      if (column.kind != Kind::ignored) {
        scan_.counts.cells += frame_.rows;
        scan_.counts.missing += tally_.columns.back().missing;
      }
      schema.inputs += column.inputs();
      schema.columns.push_back(std::move(column));
    }
    refuse_nothing_left();
    describe_targets();
    write_notes();
    return std::move(scan_);
  }

 private:
  void learn_numbers(const FrameColumn& from, Column& column) {
    ColumnTally& tally = tally_.columns.back();
    std::size_t special = frame_.rows;
    double first_special = 0;
    visit_cells(from, 0, frame_.rows, [&](std::size_t i, double value) {
      if (std::isnan(value)) {
        ++tally.missing;
      } else if (std::isinf(value)) {
        if (special == frame_.rows) special = i, first_special = value;
      } else {
        tally.values.add(value);
      }
    });
    if (special < frame_.rows)
      fail(Error::Kind::data,
           "{}: row {} (from 0): {} in column '{}', expected a finite number; correct it or remove the row",
           frame_.source, special, first_special, shown(column.name));
    tally.numbers = frame_.rows - tally.missing;
    if (from.ticks_per_day > 0 && from.dates) {
      column.dates = Dates::year_first;
      kinds_.back().note = shown(column.name) + ": dates, taken as days since 1970-01-01";
    }
    finish_numbers(column, tally.values.sum, tally.numbers, tally.values.low < tally.values.high);
  }

  void finish_numbers(Column& column, double sum, std::size_t present, bool varies) {
    const double mean = present ? sum / double(present) : 0;
    column.fill = std::isfinite(mean) ? mean : 0;
    const std::size_t gaps = frame_.rows - present;
    column.marked = options_.missing ? *options_.missing == Missing::mark && gaps > 0
                                     : frame_.targets.data && gaps_tell(gaps, present, varies);
    if (gaps > 0 && scan_.schema.missing == Missing::error)
      fail(Error::Kind::data, "{}: {} cells of column '{}' have no value; fill them in, or choose mean", frame_.source,
           gaps, shown(column.name));
  }

  void learn_texts(const FrameColumn& from, Column& column) {
    ColumnTally& tally = tally_.columns.back();
    std::vector<std::size_t> counts(from.levels.size(), 0);
    visit_cells(from, 0, frame_.rows, [&](std::size_t i, double code) {
      if (std::isnan(code) || code < 0 || (code < double(counts.size()) && from.levels[std::size_t(code)].empty()))
        return void(++tally.missing);
      require(code < double(counts.size()), "{}: row {}: the code {} in column '{}', expected less than {}",
              frame_.source, i, code, shown(column.name), counts.size());
      ++counts[std::size_t(code)];
    });
    for (std::size_t k = 0; k < counts.size(); ++k)
      if (counts[k] > 0) tally.add_level(from.levels[k], counts[k]);
    tally.texts = frame_.rows - tally.missing;
    if (!from.category && learn_dates(from, column)) return;
    if (tally.missing > 0 && scan_.schema.missing == Missing::error)
      fail(Error::Kind::data, "{}: {} cells of column '{}' have no value; fill them in, or choose mean", frame_.source,
           tally.missing, shown(column.name));
    column.kind = Kind::category;
    const std::size_t kinds = tally.levels.size(), all = kinds + (tally.missing > 0 ? 1 : 0);
    if (!from.category && tally.texts >= kFewTexts && 10 * kinds >= 9 * tally.texts) return ignore(column, tally);
    column.levels = tally.top_levels(options_.max_levels);
    if (all > options_.max_levels)
      kinds_.back().note =
          fmt::format("{}: {} levels, the {} most frequent kept", shown(column.name), all, options_.max_levels);
  }

  // Whether every text is a date that begins with its year.
  bool learn_dates(const FrameColumn& from, Column& column) {
    ColumnTally& tally = tally_.columns.back();
    std::vector<double> days(from.levels.size());
    for (std::size_t k = 0; k < from.levels.size(); ++k) {
      if (from.levels[k].empty()) continue;
      const std::optional<double> day = parse_date(from.levels[k], Dates::year_first);
      if (!day) return false;
      days[k] = *day;
    }
    if (tally.texts == 0) return false;
    visit_cells(from, 0, frame_.rows, [&](std::size_t, double code) {
      if (code >= 0 && !from.levels[std::size_t(code)].empty()) tally.values.add(days[std::size_t(code)]);
    });
    column.dates = Dates::year_first;
    kinds_.back().note = shown(column.name) + ": dates, taken as days since 1970-01-01; a category takes them as text";
    finish_numbers(column, tally.values.sum, tally.texts, tally.values.low < tally.values.high);
    return true;
  }

  void ignore(Column& column, const ColumnTally& tally) {
    double value = 0;
    for (std::uint32_t k = 0; k < tally.levels.size() && k < kFewTexts; ++k)
      if (classify(tally.levels.text(k), value) != CellKind::number)
        break;
      else if (k + 1 == kFewTexts)
        fail(Error::Kind::data,
             "{}: column '{}' holds numbers as text, such as '{}'; convert it to numbers, or make it a category",
             frame_.source, shown(column.name), shown(tally.levels.text(0)));
    column.kind = kinds_.back().kind = Kind::ignored;
    column.identifier = true;
    kinds_.back().note = fmt::format("{}: {} texts in {} rows, ignored; a category is kept", shown(column.name),
                                     tally.levels.size(), frame_.rows);
  }

  void refuse_nothing_left() const {
    if (scan_.schema.inputs > 0) return;
    std::vector<std::string> names;
    for (const Column& column : scan_.schema.columns) names.push_back(column.name);
    fail(Error::Kind::data,
         "{}: no column is left as an input: nearly every row of {} has a text of its own; make one a category to keep "
         "it",
         frame_.source, shortened_list(names));
  }

  void describe_targets() {
    Schema& schema = scan_.schema;
    const bool classes = !frame_.labels.empty();
    schema.task = classes ? Task::classification : Task::regression;
    schema.labels = frame_.labels;
    schema.targets = frame_.targets.data ? frame_.targets.cols : 0;
    require(frame_.target_names.empty() || frame_.target_names.size() == schema.targets,
            "{}: {} names of {} targets, expected as many", frame_.source, frame_.target_names.size(), schema.targets);
    for (std::size_t t = 0; t < schema.targets; ++t) {
      Column column{.kind = Kind::target};
      column.name = !frame_.target_names.empty() ? frame_.target_names[t]
                    : !frame_.named              ? "x" + std::to_string(frame_.columns.size() + t)
                    : schema.targets == 1        ? "target"
                                                 : "target" + std::to_string(t);
      column.name = free_name(column.name);
      schema.columns.push_back(std::move(column));
      tally_.columns.emplace_back();
    }
  }

  // The name, told apart from those of the columns.
  std::string free_name(std::string name) const {
    const auto taken = [&] {
      return std::any_of(scan_.schema.columns.begin(), scan_.schema.columns.end(),
                         [&](const Column& column) { return column.name == name; });
    };
    const std::string wanted = name;
    for (int copy = 1; taken(); ++copy) name = wanted + "." + std::to_string(copy);
    return name;
  }

  void write_notes() {
    ScanNotes notes;
    notes.columns(kinds_);
    std::vector<std::string> names;
    for (const FrameColumn& column : frame_.columns) names.push_back(column.name);
    if (frame_.named) notes.repeated(repeated_names(names));
    notes.missing(scan_.schema, tally_);
    notes.encoding(scan_.schema);
    scan_.notes = notes.lines();
  }

  const Frame& frame_;
  const RowsOptions& options_;
  CsvTally tally_;
  std::vector<ColumnKind> kinds_;
  FrameScan scan_;
};

}  // namespace

std::vector<std::string> frame_names(const Frame& frame) {
  if (!frame.named) return numbered_names(frame.columns.size());
  std::vector<std::string> names;
  for (const FrameColumn& column : frame.columns) names.push_back(column.name);
  return tidy_names(std::move(names));
}

FrameScan scan_frame(const Frame& frame, const RowsOptions& options) { return FrameScanner(frame, options).run(); }

}  // namespace bochner
