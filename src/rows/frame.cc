// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/frame.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "base/aligned.h"
#include "base/require.h"
#include "rows/beyond_float.h"
#include "rows/cell_rules.h"
#include "rows/class_target.h"
#include "rows/columns.h"
#include "rows/date.h"
#include "rows/frame_column.h"
#include "rows/frame_scan.h"
#include "rows/in_memory.h"
#include "rows/labels.h"
#include "rows/number.h"
#include "rows/shifted.h"
#include "rows/written_number.h"

namespace bochner {

namespace {

using Kind = Column::Kind;
using Type = FrameColumn::Type;

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();
constexpr double kNoLevel = -1;  // a text that is no level

// How the cells of one column become inputs.
struct ColumnPlan {
  FrameColumn from;
  Column to;
  std::size_t slot = 0;
  TextIndex levels;                   // text of each indicator input
  std::vector<double> text_values;    // the number, date or level of each code; NaN: missing
  std::vector<char> text_is_refused;  // whether the text of a code is no number
};

std::string_view without_spaces(std::string_view text) {
  constexpr const char* kSpaces = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpaces);
  return begin == text.npos ? std::string_view() : text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

class FrameRows final : public Rows, public InMemory {
 public:
  FrameRows(const Frame& frame, Schema schema, const std::vector<std::size_t>& match)
      : source_(frame.source),
        rows_(frame.rows),
        targets_(frame.targets.data),
        weights_(frame.weights),
        schema_(std::move(schema)),
        rules_(schema_, RowsOptions()) {
    std::vector<std::size_t> slots;
    std::size_t input = 0;
    for (const Column& column : schema_.columns) {
      slots.push_back(input);
      input += column.inputs();
    }
    for (std::size_t c = 0; c < match.size(); ++c) {
      if (match[c] == kNoColumn || schema_.columns[match[c]].inputs() == 0) continue;
      plans_.push_back({frame.columns[c], schema_.columns[match[c]], slots[match[c]], {}, {}, {}});
      prepare(plans_.back());
    }
  }

  void learnt(FrameScan scan) {
    notes_ = std::move(scan.notes);
    last_counts_ = std::move(scan.counts);
  }

  const Schema& schema() const override { return schema_; }
  void rewind() override {
    first_ = 0;
    counts_ = {};
  }
  bool next(std::size_t max_rows, RowBlock<float>& block) override { return serve(max_rows, block, float_); }
  bool next(std::size_t max_rows, RowBlock<double>& block) override { return serve(max_rows, block, double_); }
  std::optional<std::size_t> size() const override { return rows_; }
  double fraction_read() const override { return rows_ ? double(first_) / double(rows_) : 1; }
  std::size_t memory_bytes(std::size_t element_bytes) const override {
    return rows_ * (schema_.inputs * element_bytes + sizeof(double) * (schema_.targets + (weights_ ? 1 : 0)));
  }
  std::vector<std::string> notes() const override { return notes_; }
  CellCounts counts() const override { return first_ > 0 ? counts_ : last_counts_; }
  bool seek(std::size_t row) override {
    first_ = std::min(row, rows_);
    return true;
  }

 private:
  void prepare(ColumnPlan& plan) const {
    if (plan.to.kind == Kind::category) plan.levels = TextIndex(plan.to.levels);
    if (plan.from.type != Type::codes) return;
    plan.text_is_refused.assign(plan.from.levels.size(), 0);
    for (std::size_t k = 0; k < plan.from.levels.size(); ++k)
      plan.text_values.push_back(plan.to.kind == Kind::category ? level_of(plan, plan.from.levels[k])
                                                                : number_of(plan, k));
  }

  // The level of a text: the text itself comes first, so that "NA" may be one.
  double level_of(const ColumnPlan& plan, std::string_view text) const {
    if (text.empty()) return kNoValue;
    if (const std::uint32_t level = plan.levels.find(text); level != TextIndex::kNone) return level;
    return rules_.missing(text, Among::texts) ? kNoValue : kNoLevel;
  }

  // The number or date of text k, in a column that training had as one.
  double number_of(ColumnPlan& plan, std::size_t k) const {
    const std::string_view text = without_spaces(plan.from.levels[k]);
    double value = 0;
    const CellKind kind = rules_.kind(text, Among::numbers, value);
    if (kind == CellKind::missing) return kNoValue;
    if (plan.to.dates != Column::Dates::none) {
      if (const std::optional<double> days = parse_date(text, plan.to.dates)) return *days;
    } else if (kind == CellKind::number) {
      return value;
    } else if (plan.to.mixed && kind == CellKind::text && !written_number(text).amount()) {
      return kNoValue;
    }
    plan.text_is_refused[k] = 1;
    return kNoValue;
  }

  template <class U>
  bool serve(std::size_t max_rows, RowBlock<U>& block, AlignedVector<U>& values) {
    require(max_rows > 0, "rows: a block of 0 rows was asked for, expected at least 1");
    const std::size_t rows = std::min(max_rows, rows_ - first_), d = schema_.inputs;
    values.assign(rows * d, U(0));
    last_unknown_ = kNoColumn;
    for (const ColumnPlan& plan : plans_) {
      U* const out = values.data() + plan.slot;
      if (plan.to.kind == Kind::category)
        fill_levels(plan, rows, out);
      else
        fill_numbers(plan, rows, out);
    }
    block = RowBlock<U>::dense({values.data(), rows, d, d}, first_);
    check_within_float(source_, schema_, block, [&](std::size_t k) { return original(k); });
    block.target_count = schema_.targets;
    block.targets = targets_ ? targets_ + first_ * schema_.targets : nullptr;
    block.weights = weights_ ? weights_ + first_ : nullptr;
    first_ += rows;
    counts_.rows += rows;
    counts_.cells += rows * plans_.size();
    if (rows > 0 && first_ == rows_) last_counts_ = counts_;
    return rows > 0;
  }

  template <class U>
  void fill_numbers(const ColumnPlan& plan, std::size_t rows, U* out) {
    const std::size_t d = schema_.inputs;
    const bool marked = plan.to.marked, texts = plan.from.type == Type::codes;
    visit_cells(plan.from, first_, rows, [&](std::size_t i, double value) {
      if (texts) value = text_value(plan, i, value);
      U* const to = out + i * d;
      if (!std::isnan(value)) {
        *to = U(value);
        return;
      }
      refuse_missing(plan, i);
      ++counts_.missing;
      *to = U(plan.to.fill);
      if (marked) to[1] = 1;
    });
  }

  double text_value(const ColumnPlan& plan, std::size_t i, double code) const {
    if (std::isnan(code) || code < 0) return kNoValue;
    const std::size_t k = std::size_t(code);
    require(k < plan.text_values.size(), "{}: row {} (from 0): the code {} in column '{}', expected less than {}",
            source_, first_ + i, k, shown(plan.to.name), plan.text_values.size());
    if (plan.text_is_refused[k])
      fail(Error::Kind::data, "{}: row {} (from 0): '{}' in column '{}', expected a {} as in training; correct it",
           source_, first_ + i, shown(plan.from.levels[k]), shown(plan.to.name),
           plan.to.dates != Column::Dates::none ? "date" : "number");
    return plan.text_values[k];
  }

  template <class U>
  void fill_levels(const ColumnPlan& plan, std::size_t rows, U* out) {
    const std::size_t d = schema_.inputs;
    const bool texts = plan.from.type == Type::codes;
    visit_cells(plan.from, first_, rows, [&](std::size_t i, double value) {
      double level = texts ? text_value(plan, i, value) : level_of_number(plan, value);
      if (std::isnan(level)) {
        refuse_missing(plan, i);
        ++counts_.missing;
        const std::uint32_t none = plan.levels.find("");
        level = none == TextIndex::kNone ? -1 : double(none);
      } else if (level < 0 && plan.levels.size() < schema_.max_levels) {
        note_unknown(plan, i, texts ? plan.from.levels[std::size_t(value)] : number_label(value));
      }
      if (level >= 0) out[i * d + std::size_t(level)] = 1;
    });
  }

  // A number in a column that training had as text.
  double level_of_number(const ColumnPlan& plan, double value) const {
    if (std::isnan(value)) return kNoValue;
    if (plan.from.type == Type::boolean)
      for (const char* text : value != 0 ? std::array{"True", "true", "TRUE"} : std::array{"False", "false", "FALSE"})
        if (const std::uint32_t level = plan.levels.find(text); level != TextIndex::kNone) return level;
    const std::uint32_t level = plan.levels.find(number_label(value));
    return level == TextIndex::kNone ? kNoLevel : double(level);
  }

  void refuse_missing(const ColumnPlan& plan, std::size_t i) const {
    if (schema_.missing == Missing::error)
      fail(Error::Kind::data,
           "{}: row {} (from 0): column '{}' has a missing value, the rows of training had none; fill it in", source_,
           first_ + i, shown(plan.to.name));
  }

  void note_unknown(const ColumnPlan& plan, std::size_t i, const std::string& text) {
    if (last_unknown_ == i) return;
    last_unknown_ = i;
    if (counts_.unknown_rows++ == 0) counts_.unknown = plan.to.name + "=" + text;
  }

  // The number that became place k of the block, for a message.
  double original(std::size_t k) const {
    const std::size_t d = schema_.inputs;
    double found = 0;
    for (const ColumnPlan& plan : plans_)
      if (plan.slot == k % d && plan.from.type != Type::codes)
        visit_cells(plan.from, first_ + k / d, 1, [&](std::size_t, double value) { found = value; });
    return found;
  }

  std::string source_;
  std::size_t rows_;
  const double* targets_;
  const double* weights_;
  Schema schema_;
  CellRules rules_;
  std::vector<ColumnPlan> plans_;
  std::vector<std::string> notes_;
  std::size_t first_ = 0, last_unknown_ = kNoColumn;
  CellCounts counts_, last_counts_;
  AlignedVector<float> float_;
  AlignedVector<double> double_;
};

void check_frame(const Frame& frame) {
  for (const FrameColumn& column : frame.columns) {
    require(column.cells != nullptr || frame.rows == 0, "{}: column '{}' has no cells", frame.source, column.name);
    require(column.ticks_per_day == 0 || (column.type == Type::i64 && column.ticks_per_day >= 1),
            "{}: column '{}' has {} ticks a day, expected times as i64 and 1 or more", frame.source, column.name,
            column.ticks_per_day);
  }
  require(
      frame.targets.data == nullptr || (frame.targets.rows == frame.rows && frame.targets.stride == frame.targets.cols),
      "{}: {} rows and {} targets, expected as many without gaps", frame.source, frame.rows, frame.targets.rows);
}

}  // namespace

std::unique_ptr<Rows> frame_rows(const Frame& frame, const RowsOptions& options) {
  check_frame(frame);
  FrameScan scan = scan_frame(frame, options);
  check_class_targets(frame.targets.data, frame.rows, scan.schema.targets, scan.schema);
  std::vector<std::size_t> match(frame.columns.size());
  std::iota(match.begin(), match.end(), std::size_t{0});
  auto rows = std::make_unique<FrameRows>(frame, scan.schema, match);
  rows->learnt(std::move(scan));
  return rows;
}

std::unique_ptr<Rows> frame_rows(const Frame& frame, const Schema& schema) {
  check_frame(frame);
  require(frame.targets.data == nullptr || frame.targets.cols == schema.targets,
          "{}: found {} targets, expected {} as in training", frame.source, frame.targets.cols, schema.targets);
  check_class_targets(frame.targets.data, frame.rows, frame.targets.cols, schema);
  std::vector<std::string> names;
  for (const FrameColumn& column : frame.columns) names.push_back(column.name);
  const ColumnNames known{frame.source, frame_names(frame), frame.named,
                          frame.named ? repeated_names(names) : std::vector<std::string>()};
  Schema own = schema;
  bool weighted = false;
  const std::vector<std::size_t> match = match_columns(known, {.target_required = false}, own, weighted);
  own.sparse = false;
  own.targets = frame.targets.data ? schema.targets : 0;
  const std::vector<double> offsets = std::exchange(own.offsets, {});
  std::unique_ptr<Rows> rows = std::make_unique<FrameRows>(frame, std::move(own), match);
  if (offsets.empty()) return rows;
  return shifted_rows(std::move(rows), offsets);
}

}  // namespace bochner
