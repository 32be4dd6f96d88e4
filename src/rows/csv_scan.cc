// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/csv_scan.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/option.h"
#include "base/require.h"
#include "base/threads.h"
#include "rows/column_inputs.h"
#include "rows/column_kind.h"
#include "rows/csv_tally.h"
#include "rows/no_rows.h"
#include "rows/scan_notes.h"
#include "rows/scan_pieces.h"

namespace bochner {

namespace {

using Kind = Column::Kind;
using Mode = ColumnTally::Mode;
using Form = WrittenNumber::Form;

class Scanner {
 public:
  Scanner(const CsvLayout& layout, const RowsOptions& options, const ChunkSizes& sizes)
      : layout_(layout),
        options_(options),
        reader_(layout.names.path, layout.delimiter, sizes),
        threads_(options.threads) {
    rules_.cells = CellRules(options);
    rules_.roles = assign_roles(layout.names, options);
    rules_.missing = missing_rule(options);
    rules_.missing_targets = !options.target_required && rules_.missing != Missing::drop;
    for (const Kind role : rules_.roles)
      rules_.among.push_back(role == Kind::ignored  ? Among::nothing
                             : role == Kind::weight ? Among::numbers
                                                    : Among::texts);
    several_ = std::count(rules_.roles.begin(), rules_.roles.end(), Kind::target) > 1;
    if (several_ && options.task == Task::classification)
      fail(Error::Kind::data, "{}: several targets for classification, expected one; give one target", path());
  }

  CsvScan run() {
    while (true) {
      pass(first_modes(), tally_);
      if (tally_.rows == 0)
        fail_without_rows("{}: no rows {}; check how the file was written", path(),
                          tally_.dropped > 0 || !layout_.header ? "left after dropping those with missing cells"
                                                                : "below the header");
      if (found_decimal_comma()) continue;
      list_mixed();
      find_kinds();
      if (!learned_what_is_missing()) break;
    }
    refuse_mixed_decimals();
    limit_indicators();
    CsvScan scan;
    scan.rows = tally_.rows;
    scan.schema = describe();
    scan.counts = counts(scan.schema);
    ScanNotes notes;
    notes.decimal_comma(comma_columns_);
    notes.columns(kinds_);
    notes.repeated(layout_.names.repeated);
    notes.missing(scan.schema, tally_);
    notes.encoding(scan.schema);
    scan.notes = notes.lines();
    return scan;
  }

 private:
  const std::string& path() const { return layout_.names.path; }
  const std::string& name(std::size_t c) const { return layout_.names.names[c]; }
  std::string shown_name(std::size_t c) const { return shown(name(c)); }
  std::size_t columns() const { return rules_.roles.size(); }
  bool is_input(std::size_t c) const { return rules_.roles[c] == Kind::numeric; }

  // Missing cells of a column of numbers or dates.
  std::size_t gaps(std::size_t c) const {
    const ColumnTally& column = tally_.columns[c];
    return column.missing + column.doubtful + (kinds_[c].mixed ? column.texts : 0);
  }

  // A text column of more levels than the automatic machine takes as indicators.
  bool is_coded(std::size_t c) const { return options_.max_levels == 0 && listed(c).level_count() > indicators_; }
  // Fewer levels are indicators if there would be more inputs than the machine takes, a number counted twice.
  void limit_indicators() {
    const auto inputs = [&] {
      std::size_t count = 0;
      for (std::size_t c = 0; c < columns(); ++c)
        if (is_input(c)) count += kinds_[c].kind == Kind::category && !is_coded(c) ? listed(c).level_count() : 2;
      return count;
    };
    for (indicators_ = kMostIndicators; options_.max_levels == 0 && indicators_ > 2 && inputs() > kMostEncoded;)
      indicators_ /= 2;
  }
  bool are_marked(std::size_t c) const {
    if (options_.missing) return *options_.missing == Missing::mark && gaps(c) > 0;
    return !options_.targets.empty() && !options_.inputs_only && gaps_tell(gaps(c), tally_.rows - gaps(c), varies(c));
  }
  bool varies(std::size_t c) const {
    const ColumnTally& column = tally_.columns[c];
    if (kinds_[c].mixed) return column.values.low < column.values.high;
    std::size_t texts = 0;  // dates, each listed once
    for (std::uint32_t i = 0; i < column.levels.size(); ++i) texts += !rules_.cells.doubtful(column.levels.text(i));
    return column.values.low < column.values.high || texts > 1;
  }

  CellCounts counts(const Schema& schema) const {
    CellCounts counts{.rows = tally_.rows};
    for (std::size_t c = 0; c < columns(); ++c) {
      const Column& column = schema.columns[c];
      if (column.kind != Kind::numeric && column.kind != Kind::category) continue;
      const bool numbers = column.kind == Kind::numeric && !bochner::is_coded(column);
      counts.cells += tally_.rows;
      counts.missing += numbers ? gaps(c) : tally_.columns[c].missing;
    }
    return counts;
  }

  std::vector<Mode> first_modes() const {
    std::vector<Mode> modes;
    for (const Among among : rules_.among) modes.push_back(among == Among::nothing ? Mode::skip : Mode::numbers);
    for (const std::string& category : options_.categories) {
      const std::size_t c = layout_.names.find(category);
      if (!is_input(c))
        fail(Error::Kind::data, "{}: column '{}' is no input, expected one to encode; take it from the categories",
             path(), category);
      modes[c] = Mode::text;
    }
    return modes;
  }

  void pass(const std::vector<Mode>& modes, CsvTally& tally) {
    CsvTally empty;
    empty.gaps.assign(columns(), 0);
    for (std::size_t c = 0; c < columns(); ++c) {
      ColumnTally column;
      column.mode = modes[c];
      column.is_target = rules_.roles[c] == Kind::target;
      column.kinds = TargetKinds(several_ ? Task::regression : options_.task);
      empty.columns.push_back(std::move(column));
    }
    tally = empty;
    scan_pieces(
        reader_, threads_, empty, [this](const char* begin) { return layout_.skip_header(begin); },
        [this](const char* begin, const char* end, CsvTally& part) { tally_piece(begin, end, layout_, rules_, part); },
        [&](CsvTally& part) { tally.merge(part, reader_); });
  }

  // Whether numbers turn out to have a decimal comma, so that the file is to be read again.
  bool found_decimal_comma() {
    if (options_.decimal || layout_.delimiter == ',' || rules_.cells.decimal() == ',') return false;
    bool sure = false;
    for (std::size_t c = 0; c < columns(); ++c) {
      const ColumnTally& column = tally_.columns[c];
      if (column.mode != Mode::numbers || column.texts == 0) continue;
      const auto written = find_written(column, rules_.cells);
      if (!written || written->form != Form::comma || !written->same) continue;
      comma_columns_.push_back(shown_name(c));
      sure = sure || !written->maybe_thousands;
    }
    if (!sure) comma_columns_.clear();
    if (sure) rules_.cells = rules_.cells.with_decimal(',');
    return sure;
  }

  void refuse_mixed_decimals() const {
    if (comma_columns_.empty()) return;
    for (std::size_t c = 0; c < columns(); ++c) {
      const ColumnTally& column = tally_.columns[c];
      if (column.mode != Mode::numbers) continue;
      for (std::uint32_t i = 0; i < column.levels.size(); ++i)
        if (written_number(column.levels.text(i)).form == Form::point)
          fail(Error::Kind::data, "{}: '{}' in column '{}', expected a decimal comma as in {}; give {} or {}",
               column.first_text.place, shown(column.levels.text(i)), shown_name(c), shortened_list(comma_columns_, 3),
               spelled(Option::decimal, ","), spelled(Option::decimal, "."));
    }
  }

  // Columns with both numbers and text: their numbers may be levels too, but were not listed in the first pass.
  void list_mixed() {
    std::vector<Mode> modes(columns(), Mode::skip);
    for (std::size_t c = 0; c < columns(); ++c) {
      const ColumnTally& column = tally_.columns[c];
      if (column.mode == Mode::numbers && column.numbers > 0 && column.texts > 0) modes[c] = Mode::text;
    }
    listed_ = {};
    if (std::count(modes.begin(), modes.end(), Mode::text) > 0) pass(modes, listed_);
  }
  const ColumnTally& listed(std::size_t c) const {
    const ColumnTally& column = tally_.columns[c];
    return column.mode == Mode::numbers && column.numbers > 0 && column.texts > 0 ? listed_.columns[c] : column;
  }

  void find_kinds() {
    kinds_.assign(columns(), {});
    for (std::size_t c = 0; c < columns(); ++c) {
      if (rules_.roles[c] == Kind::ignored) kinds_[c].kind = Kind::ignored;
      if (is_input(c) && rules_.among[c] == Among::nothing) {
        kinds_[c] = identifiers_.at(c);
      } else if (is_input(c)) {
        kinds_[c] = find_kind(tally_.columns[c], listed(c), name(c), rules_.cells, options_);
        if (!kinds_[c].refusal.empty()) fail(Error::Kind::data, "{}", kinds_[c].refusal);
      } else if (rules_.roles[c] == Kind::target && !several_ && !options_.task) {
        if (const auto written = find_written(tally_.columns[c], rules_.cells))
          kinds_[c].note = fmt::format("target {}: '{}' and the like taken as classes; {} for numbers", shown_name(c),
                                       tally_.columns[c].first_text.text, written->remedy());
        else if (tally_.columns[c].texts == 0)
          for (const std::string& note : tally_.columns[c].kinds.notes(shown_name(c))) kinds_[c].note = note;
      }
    }
  }

  // Whether rows are to be dropped by what is known of the columns only now, so that the file is to be read again.
  // A column's part only grows (text, then numbers or nothing), so this ends.
  bool learned_what_is_missing() {
    bool learned = false;
    for (std::size_t c = 0; c < columns(); ++c) {
      Among now = rules_.among[c];
      if (now != Among::texts) continue;
      if (is_input(c))
        now = kinds_[c].kind == Kind::ignored   ? Among::nothing
              : kinds_[c].kind == Kind::numeric ? Among::numbers
                                                : Among::texts;
      else if (target_of_numbers(c))
        now = Among::numbers;
      if (now == Among::texts) continue;
      if (now == Among::nothing) identifiers_[c] = kinds_[c];
      learned = learned || now == Among::nothing || tally_.columns[c].doubtful > 0;
      if (rules_.missing == Missing::drop) rules_.among[c] = now;
    }
    return learned && rules_.missing == Missing::drop;
  }

  bool target_of_numbers(std::size_t c) const {
    const ColumnTally& column = tally_.columns[c];
    return column.texts == 0 && column.numbers > 0;
  }

  Schema describe() const {
    Schema schema;
    schema.header = layout_.header;
    schema.missing = rules_.missing;
    const std::set<std::string> spellings(options_.missing_values.begin(), options_.missing_values.end());
    schema.missing_values.assign(spellings.begin(), spellings.end());
    schema.usual_missing = options_.usual_missing;
    schema.decimal = rules_.cells.decimal();
    schema.max_levels = options_.max_levels > 0 ? options_.max_levels : kMostIndicators;
    for (std::size_t c = 0; c < columns(); ++c) {
      Column column{.name = name(c), .kind = rules_.roles[c]};
      if (is_input(c)) {
        refuse_doubtful(c);
        column.kind = kinds_[c].kind;
        column.fill = kinds_[c].mean;
        column.dates = kinds_[c].dates;
        column.mixed = kinds_[c].mixed;
        column.identifier = column.kind == Kind::ignored;
        if (column.kind == Kind::category) {
          column.levels = is_coded(c) ? listed(c).ranked_levels() : listed(c).top_levels(schema.max_levels);
          if (is_coded(c)) column.kind = Kind::numeric, column.fill = 0;
        }
        column.marked = column.kind == Kind::numeric && !bochner::is_coded(column) && are_marked(c);
        schema.inputs += column.inputs();
      }
      schema.columns.push_back(std::move(column));
      if (rules_.roles[c] == Kind::target) describe_target(c, schema);
      if (rules_.roles[c] == Kind::weight) check_weights(c);
    }
    if (schema.inputs == 0)
      fail(Error::Kind::data,
           "{}: no column is left as an input: nearly every row of {} has a text of its own; give {} "
           "to keep one",
           path(), shortened_list(identifier_names()), Option::categories);
    return schema;
  }

  std::vector<std::string> identifier_names() const {
    std::vector<std::string> names;
    for (std::size_t c = 0; c < columns(); ++c)
      if (is_input(c) && kinds_[c].kind == Kind::ignored) names.push_back(name(c));
    return names;
  }

  // "-" and the like in a column that has turned out to be one of numbers, where nothing may be missing.
  void refuse_doubtful(std::size_t c) const {
    const FirstCell& first = tally_.columns[c].first_doubtful;
    if (first.place.empty() || (is_input(c) && kinds_[c].kind != Kind::numeric)) return;
    Complaint complaint;
    complain_missing(first.text.data(), name(c), rules_.roles[c], rules_.missing, MissingRemedy::drop_rows, complaint);
    if (complaint.at) fail(Error::Kind::data, "{}: {}", first.place, complaint.message);
  }

  void refuse_special(std::size_t c) const {
    const ColumnTally& column = tally_.columns[c];
    if (column.specials)
      fail(Error::Kind::data,
           "{}: '{}' in column '{}', expected a finite number; correct it, leave the cell empty if "
           "it is missing, or remove the row",
           column.first_special.place, column.first_special.text, shown_name(c));
  }

  void refuse_text(std::size_t c, const std::string& expected, const std::string& remedy) const {
    const ColumnTally& column = tally_.columns[c];
    if (column.texts)
      fail(Error::Kind::data, "{}: '{}' in column '{}', expected {}; {}", column.first_text.place,
           column.first_text.text, shown_name(c), expected, remedy);
  }

  void check_weights(std::size_t c) const {
    const ColumnTally& column = tally_.columns[c];
    refuse_text(c, "a weight", "correct it, or name another column of weights");
    refuse_special(c);
    if (!column.first_negative.place.empty())
      fail(Error::Kind::data, "{}: weight '{}' in column '{}', expected 0 or more; correct it",
           column.first_negative.place, column.first_negative.text, shown_name(c));
  }

  void describe_target(std::size_t c, Schema& schema) const {
    const ColumnTally& column = tally_.columns[c];
    ++schema.targets;
    if (column.texts == 0) {
      refuse_special(c);
      if (column.numbers > 0) refuse_doubtful(c);
    }
    if (several_ || options_.task == Task::regression) {
      refuse_text(c, "a number",
                  several_ ? "several targets are regression, give one target for classes" : regression_remedy(c));
      schema.task = Task::regression;
    } else if (column.texts + column.doubtful > 0 && (column.texts > 0 || column.numbers == 0)) {
      if (options_.task != Task::classification) check_text_target(c);
      schema.task = Task::classification;
      if (listed(c).levels.size() > kMostClasses)
        fail(Error::Kind::data, "{}: more than {} classes in column '{}'; choose another target", path(), kMostClasses,
             shown_name(c));
      schema.labels = listed(c).top_levels(kMostClasses);
    } else {
      schema.task = options_.task.value_or(column.kinds.look_like_classes() ? Task::classification : Task::regression);
      if (schema.task == Task::regression) return;
      if (column.kinds.too_many())
        fail(Error::Kind::data, "{}: more than {} classes in column '{}'; choose regression, or another target", path(),
             kMostClasses, shown_name(c));
      schema.labels = column.kinds.labels();
    }
  }

  std::string regression_remedy(std::size_t c) const {
    if (const auto written = find_written(tally_.columns[c], rules_.cells)) return written->remedy();
    return fmt::format("correct it, give {} and {} if it means that there is none, or choose {}",
                       spelled(Option::missing_values, tally_.columns[c].first_text.text),
                       spelled(Option::missing, "drop"), spelled(Option::task, "classification"));
  }

  // Refuses texts that are hardly meant as classes.
  void check_text_target(std::size_t c) const {
    const ColumnTally& column = tally_.columns[c];
    const std::size_t kinds = listed(c).levels.size();
    if (column.numbers > 0 && !column.kinds.look_like_classes())
      refuse_text(c, fmt::format("a number as in {} of {} cells", column.numbers, column.numbers + column.texts),
                  regression_remedy(c));
    const std::string classes =
        fmt::format("or {} to take every text as a class", spelled(Option::task, "classification"));
    bool ambiguous = false;
    if (const auto written = find_written(column, rules_.cells);
        written && (written->kinds > kFewKinds || written->amount()))
      refuse_text(c, "a plain number", written->remedy() + ", " + classes);
    if (kinds > kFewKinds && find_dates(column, options_, ambiguous) != Column::Dates::none)
      refuse_text(c, "a number or a class", "turn the dates into numbers, " + classes);
    if (kinds > kManyClasses || (kinds > kFewKinds && 2 * kinds > tally_.rows))
      fail(Error::Kind::data,
           "{}: the target '{}' has {} different texts in {} rows, expected numbers or fewer classes; name another "
           "target, {}",
           path(), shown_name(c), kinds, tally_.rows, classes);
  }

  static constexpr std::size_t kManyClasses = 1000;  // rather a wrong column than classes

  const CsvLayout& layout_;
  const RowsOptions& options_;
  ChunkReader reader_;
  Threads threads_;
  TallyRules rules_;
  bool several_ = false;
  CsvTally tally_, listed_;
  std::vector<ColumnKind> kinds_;                  // what each column is
  std::size_t indicators_ = kMostIndicators;       // levels of a column of texts that is not coded
  std::map<std::size_t, ColumnKind> identifiers_;  // columns found to be such while rows are dropped
  std::vector<std::string> comma_columns_;         // whose numbers have shown a decimal comma
};

}  // namespace

CsvScan scan_csv(const CsvLayout& layout, const RowsOptions& options, const ChunkSizes& sizes) {
  return Scanner(layout, options, sizes).run();
}

}  // namespace bochner
