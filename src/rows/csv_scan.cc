// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/csv_scan.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "base/threads.h"
#include "rows/csv_tally.h"
#include "rows/scan_pieces.h"

namespace bochner {

namespace {

using Kind = Column::Kind;
using Mode = ColumnTally::Mode;

// A column with numbers in more than 19 of 20 cells is one of numbers with mistakes in it, not one of text: to encode
// it would quietly spoil the model.
bool mostly_numbers(const ColumnTally& column) { return column.numbers > 19 * column.texts; }

class Scanner {
 public:
  Scanner(const CsvLayout& layout, const RowsOptions& options, const ChunkSizes& sizes)
      : layout_(layout),
        options_(options),
        reader_(layout.names.path, layout.delimiter, sizes),
        threads_(options.threads),
        roles_(assign_roles(layout.names, options)),
        several_(std::count(roles_.begin(), roles_.end(), Kind::target) > 1) {
    if (several_ && options.task == Task::classification)
      fail(Error::Kind::data, "{}: several targets for classification, expected one; give one target", path());
  }

  CsvScan run() {
    pass(first_modes());
    if (tally_.rows == 0)
      fail(Error::Kind::data, "{}: no rows {}; check how the file was written", path(),
           layout_.header ? "below the header" : "left after dropping those with missing cells");
    CsvScan scan;
    scan.rows = tally_.rows;
    Schema& schema = scan.schema;
    schema.header = layout_.header;
    schema.missing = options_.missing;
    for (std::size_t c = 0; c < roles_.size(); ++c) {
      schema.columns.push_back({.name = name(c), .kind = roles_[c], .levels = {}, .fill = 0});
      describe(c, schema);
    }
    list_mixed(schema);
    for (const Column& column : schema.columns)
      schema.inputs += column.kind == Kind::numeric ? 1 : column.kind == Kind::category ? column.levels.size() : 0;
    return scan;
  }

 private:
  const std::string& path() const { return layout_.names.path; }
  const std::string& name(std::size_t c) const { return layout_.names.names[c]; }
  std::string shown_name(std::size_t c) const { return shown(name(c)); }

  std::vector<Mode> first_modes() const {
    std::vector<Mode> modes;
    for (const Kind role : roles_) modes.push_back(role == Kind::ignored ? Mode::skip : Mode::numbers);
    for (const std::string& category : options_.categories) {
      const std::size_t c = layout_.names.find(category);
      if (roles_[c] != Kind::numeric)
        fail(Error::Kind::data, "{}: column '{}' is no input, expected one to encode; take it from the categories",
             path(), category);
      modes[c] = Mode::text;
    }
    return modes;
  }

  void pass(const std::vector<Mode>& modes) {
    CsvTally empty;
    for (std::size_t c = 0; c < roles_.size(); ++c) {
      ColumnTally column;
      column.mode = modes[c];
      column.is_target = roles_[c] == Kind::target;
      column.kinds = TargetKinds(several_ ? Task::regression : options_.task);
      empty.columns.push_back(std::move(column));
    }
    tally_ = empty;
    scan_pieces(
        reader_, threads_, empty, [this](const char* begin) { return layout_.skip_header(begin); },
        [this](const char* begin, const char* end, CsvTally& part) {
          tally_piece(begin, end, layout_, roles_, options_.missing, part);
        },
        [this](CsvTally& part) { tally_.merge(part, reader_); });
  }

  void refuse_special(std::size_t c) const {
    const ColumnTally& column = tally_.columns[c];
    if (column.specials)
      fail(Error::Kind::data,
           "{}: '{}' in column '{}', expected a finite number; correct it, leave the cell empty if "
           "it is missing, or remove the row",
           column.first_special.place, column.first_special.text, shown_name(c));
  }

  void refuse_text(std::size_t c, const char* expected, const char* remedy) const {
    const ColumnTally& column = tally_.columns[c];
    if (column.texts)
      fail(Error::Kind::data, "{}: '{}' in column '{}', expected {}; {}", column.first_text.place,
           column.first_text.text, shown_name(c), expected, remedy);
  }

  void describe(std::size_t c, Schema& schema) {
    const ColumnTally& column = tally_.columns[c];
    Column& out = schema.columns[c];
    if (roles_[c] == Kind::target) return describe_target(c, schema);
    if (roles_[c] == Kind::weight) {
      refuse_text(c, "a weight", "correct it, or name another column of weights");
      refuse_special(c);
      if (!column.first_negative.place.empty())
        fail(Error::Kind::data, "{}: weight '{}' in column '{}', expected 0 or more; correct it",
             column.first_negative.place, column.first_negative.text, shown_name(c));
      return;
    }
    if (roles_[c] == Kind::ignored) return;
    if (column.mode == Mode::text || column.texts > 0) {
      if (column.mode != Mode::text && mostly_numbers(column))
        refuse_text(c, "a number as in nearly all rows",
                    "correct it, leave the cell empty if it is missing, or list the column among the categories");
      out.kind = Kind::category;
      if (column.mode == Mode::text || column.numbers == 0)
        out.levels = column.top_levels(options_.max_levels);
      else
        mixed_.push_back(c);
      return;
    }
    refuse_special(c);
    const double mean = column.numbers ? column.sum / double(column.numbers) : 0;
    out.fill = std::isfinite(mean) ? mean : 0;
  }

  void describe_target(std::size_t c, Schema& schema) {
    const ColumnTally& column = tally_.columns[c];
    ++schema.targets;
    if (column.texts == 0) refuse_special(c);
    if (several_ || options_.task == Task::regression) {
      refuse_text(c, "a number",
                  several_ ? "several targets are regression, give one target for classes"
                           : "correct it, or choose classification");
      schema.task = Task::regression;
    } else if (column.texts > 0) {
      if (mostly_numbers(column) && column.kinds.too_many())
        refuse_text(c, "a number as in nearly all rows", "correct it or remove the row");
      schema.task = Task::classification;
      if (column.numbers > 0)
        mixed_.push_back(c);
      else
        set_text_labels(c, schema);
    } else {
      schema.task = options_.task.value_or(column.kinds.look_like_classes() ? Task::classification : Task::regression);
      if (schema.task == Task::classification) {
        if (column.kinds.too_many())
          fail(Error::Kind::data, "{}: more than {} classes in column '{}'; choose regression, or another target",
               path(), kMostClasses, shown_name(c));
        schema.labels = column.kinds.labels();
      }
    }
  }

  void set_text_labels(std::size_t c, Schema& schema) const {
    if (tally_.columns[c].levels.size() > kMostClasses)
      fail(Error::Kind::data, "{}: more than {} classes in column '{}'; choose another target", path(), kMostClasses,
           shown_name(c));
    schema.labels = tally_.columns[c].top_levels(kMostClasses);
  }

  // Columns with both numbers and text: their numbers are levels too, but were not listed in the first pass.
  void list_mixed(Schema& schema) {
    if (mixed_.empty()) return;
    std::vector<Mode> modes(roles_.size(), Mode::skip);
    for (const std::size_t c : mixed_) modes[c] = Mode::text;
    pass(modes);
    for (const std::size_t c : mixed_) {
      if (roles_[c] == Kind::target)
        set_text_labels(c, schema);
      else
        schema.columns[c].levels = tally_.columns[c].top_levels(options_.max_levels);
    }
  }

  const CsvLayout& layout_;
  const RowsOptions& options_;
  ChunkReader reader_;
  Threads threads_;
  std::vector<Kind> roles_;
  bool several_;
  CsvTally tally_;
  std::vector<std::size_t> mixed_;
};

}  // namespace

CsvScan scan_csv(const CsvLayout& layout, const RowsOptions& options, const ChunkSizes& sizes) {
  return Scanner(layout, options, sizes).run();
}

}  // namespace bochner
