// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/csv_rows.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "base/csv_text.h"
#include "rows/csv_cell.h"
#include "rows/csv_layout.h"
#include "rows/csv_scan.h"
#include "rows/csv_tally.h"
#include "rows/date.h"
#include "rows/labels.h"
#include "rows/number.h"
#include "rows/text_index.h"
#include "rows/text_rows.h"
#include "rows/width.h"
#include "rows/written_number.h"

namespace bochner {

namespace {

using Kind = Column::Kind;

// What to do with one column of the file.
struct CellPlan {
  Kind kind = Kind::ignored;
  std::size_t slot = 0;  // input (the first one of a category) or target
  double fill = 0;
  Column::Dates dates = Column::Dates::none;
  Among among = Among::nothing;  // decides which spellings of a missing cell count
  TextIndex levels;
};

// The part of a plan that the inner loop looks at, kept small: a number goes to its input and ends with `stop`.
struct QuickPlan {
  std::uint32_t slot = 0;
  bool numeric = false;
  char stop = '\n';
};

// A training has refused such rows in its scan.
constexpr const char* kRemoveRow = "fill it in or remove the row";

// Pieces shrink where encoding makes rows much larger than their text, so that a piece stays near this size in memory.
constexpr std::size_t kPieceMemory = std::size_t{4} << 20;

ChunkSizes adapt(ChunkSizes sizes, const Schema& schema, const CsvLayout& layout) {
  const std::size_t fits = kPieceMemory / (sizeof(double) * (schema.inputs + 1)) * 2 * layout.columns();
  sizes.piece = std::min(sizes.piece, std::max<std::size_t>(fits, 4096));
  return sizes;
}

class CsvRows : public TextRows {
 public:
  CsvRows(const CsvLayout& layout, const Schema& schema, const std::vector<std::size_t>& match, bool weighted,
          const RowsOptions& options, const ChunkSizes& sizes)
      : TextRows(layout.names.path, layout.delimiter, adapt(sizes, schema, layout), options.threads),
        layout_(layout),
        rules_(schema, options),
        date_order_(options.date_order),
        lenient_(!options.target_required),
        drop_(schema.missing == Missing::drop && !lenient_),
        labels_(schema.labels) {
    schema_ = schema;
    weighted_ = weighted;
    shape_buffers();
    plan(match);
  }

  void set_scan(const CsvScan& scan) {
    size_ = scan.rows;
    notes_ = scan.notes;
    set_counts(scan.counts);
  }
  std::vector<std::string> notes() const override { return notes_; }

  // Carries cells of these columns along.
  void keep(KeptCells* kept) {
    kept_ = kept;
    kept->names.clear();
    for (const std::string& wanted : kept->columns) {
      kept_columns_.push_back(layout_.names.find(wanted));
      kept->names.push_back(layout_.names.names[kept_columns_.back()]);
    }
  }

 protected:
  const char* skip_header(const char* begin) const override { return layout_.skip_header(begin); }
  void parse(const char* begin, const char* end, RowBuffer<float>& rows, Complaint& complaint) const override {
    parse_any(begin, end, rows, complaint);
  }
  void parse(const char* begin, const char* end, RowBuffer<double>& rows, Complaint& complaint) const override {
    parse_any(begin, end, rows, complaint);
  }

 private:
  void plan(const std::vector<std::size_t>& match) {
    std::vector<std::size_t> slots;  // of the schema's columns
    std::size_t input = 0, target = 0;
    for (const Column& column : schema_.columns) {
      slots.push_back(column.kind == Kind::target ? target++ : input);
      if (column.kind == Kind::numeric) ++input;
      if (column.kind == Kind::category) {
        input += column.levels.size();
        encoded_ = true;
      }
    }
    // A number may be taken as soon as it is seen, unless it may mean a missing cell or its comma may be a delimiter.
    const bool plain = !rules_.numbers_may_be_missing() && rules_.decimal() != layout_.delimiter;
    for (const std::size_t c : match) {
      CellPlan cell;
      if (c != kNoColumn) {
        const Column& column = schema_.columns[c];
        cell.kind = column.kind;
        cell.slot = slots[c];
        cell.fill = column.fill;
        cell.dates = column.dates;
        if (date_order_ && column.dates != Column::Dates::none) cell.dates = *date_order_;
        const bool texts = cell.kind == Kind::category ||
                           (cell.kind == Kind::target && schema_.task == Task::classification && !labels_.numeric());
        cell.among = cell.kind == Kind::ignored ? Among::nothing : texts ? Among::texts : Among::numbers;
        cell.levels = TextIndex(column.levels);
      }
      quick_.push_back({std::uint32_t(cell.slot),
                        plain && cell.kind == Kind::numeric && cell.dates == Column::Dates::none, layout_.delimiter});
      among_.push_back(cell.among);
      input_columns_ += cell.kind == Kind::numeric || cell.kind == Kind::category;
      plans_.push_back(std::move(cell));
    }
    quick_.back().stop = '\n';
  }

  template <class T>
  void parse_any(const char* begin, const char* end, RowBuffer<T>& rows, Complaint& complaint) const;
  template <class T>
  bool take_cell(std::size_t c, const CsvCell& cell, T* inputs, double* targets, double& weight, RowBuffer<T>& rows,
                 Complaint& complaint) const;
  std::string number_remedy(std::string_view text) const;
  bool take_target(std::size_t c, const CsvCell& cell, double& target, Complaint& complaint) const;
  std::string kept_line(const char* row) const;

  CsvLayout layout_;
  CellRules rules_;
  std::optional<Column::Dates> date_order_;
  std::vector<std::string> notes_;
  std::vector<CellPlan> plans_;  // of the file's columns
  std::vector<QuickPlan> quick_;
  std::size_t input_columns_ = 0;  // of the file
  bool encoded_ = false;           // some inputs are indicators
  bool lenient_;                   // targets may be missing or unknown: NaN
  bool drop_;                      // rows with a missing cell are left out
  std::vector<Among> among_;       // of the file's columns
  LabelIndex labels_;
  std::vector<std::size_t> kept_columns_;
};

// The row has been read once, so it is whole.
std::string CsvRows::kept_line(const char* row) const {
  const std::vector<std::string> cells = read_row(row, layout_.delimiter);
  std::string line;
  for (std::size_t i = 0; i < kept_columns_.size(); ++i) append_cell(line += i ? "," : "", cells[kept_columns_[i]]);
  return line;
}

template <class T>
void CsvRows::parse_any(const char* begin, const char* end, RowBuffer<T>& rows, Complaint& complaint) const {
  const std::size_t columns = plans_.size();
  const std::size_t d = schema_.inputs, t = schema_.targets;
  const char delimiter = layout_.delimiter, point = rules_.decimal();
  std::string scratch;
  std::size_t capacity = 0;
  double nothing = 0;
  for (const char* p = begin; p < end;) {
    const char* const start = p;
    if (static_cast<unsigned char>(*p) <= ' ') {
      if (const char* blank = blank_line(p, delimiter)) {
        p = blank + 1;
        continue;
      }
    }
    if (drop_) {
      if (const char* next = skip_incomplete(p, delimiter, rules_, among_)) {
        p = next;
        continue;
      }
    }
    if (rows.rows == capacity) {  // the rows so far foretell how many there will be
      const std::size_t guess =
          p == begin ? 64 : std::size_t(double(end - begin) / double(p - begin) * double(capacity));
      capacity = std::max(capacity + capacity / 8 + 64, guess + 8);
      rows.values.resize(capacity * d);
      rows.targets.resize(capacity * t);
      if (weighted_) rows.weights.resize(capacity);
    }
    T* const inputs = rows.values.data() + rows.rows * d;
    double* const targets = rows.targets.data() + rows.rows * t;
    double& weight = weighted_ ? rows.weights[rows.rows] : nothing;
    if (encoded_) std::fill(inputs, inputs + d, T{0});
    for (std::size_t c = 0; c < columns; ++c) {
      const QuickPlan plan = quick_[c];
      const char stop = plan.stop;
      if (plan.numeric) {
        const unsigned digit = static_cast<unsigned char>(*p - '0');
        if (digit < 10 && p[1] == stop) {  // indicators and small counts are most of many files
          inputs[plan.slot] = T(digit);
          p += 2;
          continue;
        }
        if (const char* q = parse_decimal(p, inputs[plan.slot], point); q && *q == stop) {
          p = q + 1;
          continue;
        }
      }
      const CsvCell cell = read_cell(p, delimiter, scratch);
      if (cell.complaint) return complaint.say(cell.next, "{}", cell.complaint);
      if (*cell.next != stop) return complain_ragged(start, layout_, complaint);
      if (!take_cell(c, cell, inputs, targets, weight, rows, complaint)) return;
      p = cell.next + 1;
    }
    ++rows.rows;
    if (kept_) rows.kept.push_back(kept_line(start));
  }
  rows.values.resize(rows.rows * d);
  rows.targets.resize(rows.rows * t);
  if (weighted_) rows.weights.resize(rows.rows);
  rows.counts.rows = rows.rows;
  rows.counts.cells = rows.rows * input_columns_;
}

// A cell that is not just a number in place. False after a complaint.
template <class T>
bool CsvRows::take_cell(std::size_t c, const CsvCell& cell, T* inputs, double* targets, double& weight,
                        RowBuffer<T>& rows, Complaint& complaint) const {
  const CellPlan& plan = plans_[c];
  const std::string& name = layout_.names.names[c];
  if (plan.kind == Kind::ignored) return true;
  if (plan.kind == Kind::target) return take_target(c, cell, targets[plan.slot], complaint);
  if (plan.kind == Kind::category) {
    // The text itself comes first: a model of old may know "null" as a level.
    const std::uint32_t level = plan.levels.find(cell.text);
    if (level != TextIndex::kNone && !cell.text.empty()) {
      inputs[plan.slot + level] = 1;
      return true;
    }
  }
  double value = 0;
  CellKind kind = rules_.kind(cell.text, plan.among, value);
  if (kind == CellKind::missing) {
    complain_missing(cell.begin, name, plan.kind, schema_.missing, kRemoveRow, complaint);
    if (complaint.at) return false;
    ++rows.counts.missing;
  }
  if (plan.kind == Kind::weight) {
    weight = value;
    if (kind != CellKind::number || value < 0)
      complaint.say(cell.begin, "weight '{}' in column '{}', expected a number, 0 or more; correct it",
                    shown(cell.text), shown(name));
    return complaint.at == nullptr;
  }
  if (plan.kind == Kind::category) {
    const std::uint32_t level = kind == CellKind::missing ? plan.levels.find("") : TextIndex::kNone;
    if (level != TextIndex::kNone)
      inputs[plan.slot + level] = 1;
    else if (kind != CellKind::missing && plan.levels.size() < schema_.max_levels)  // otherwise rare ones have no input
      rows.note_unknown(name, cell.text);
    return true;
  }
  if (plan.dates != Column::Dates::none && kind != CellKind::missing) {
    const std::optional<double> days = parse_date(cell.text, plan.dates);
    if (!days) {
      complaint.say(cell.begin, "'{}' in column '{}', expected a date as in training; write it as 2024-03-31",
                    shown(cell.text), shown(name));
      return false;
    }
    value = *days;
    kind = CellKind::number;
  }
  if (kind == CellKind::missing) {
    inputs[plan.slot] = T(plan.fill);
  } else if (kind == CellKind::number) {
    inputs[plan.slot] = T(value);
    if (!std::isfinite(inputs[plan.slot])) {
      complaint.say(
          cell.begin,
          "'{}' in column '{}' is beyond the range of float; scale the column, or train with --precision double",
          shown(cell.text), shown(name));
      return false;
    }
  } else {
    complaint.say(cell.begin, "'{}' in column '{}', expected a {}; {}", shown(cell.text), shown(name),
                  kind == CellKind::special ? "finite number" : "number as in training", number_remedy(cell.text));
    return false;
  }
  return true;
}

std::string CsvRows::number_remedy(std::string_view text) const {
  const WrittenNumber::Form form = written_number(text).form;
  if (form == WrittenNumber::Form::comma && rules_.decimal() == '.')
    return "give --decimal , if the comma is a decimal one";
  if (form == WrittenNumber::Form::point && rules_.decimal() == ',')
    return "give --decimal . if the point is the decimal one";
  return fmt::format("correct it, or give --missing-values {} if it means that there is none", shown(text));
}

bool CsvRows::take_target(std::size_t c, const CsvCell& cell, double& target, Complaint& complaint) const {
  const std::string& name = layout_.names.names[c];
  double value = 0;
  const CellKind kind = rules_.kind(cell.text, plans_[c].among, value);
  target = std::numeric_limits<double>::quiet_NaN();
  // The text itself comes first: a model of old may know "null" as a class, and with --decimal , a class may be "1.5".
  const int text_label = schema_.task == Task::classification ? labels_.find(cell.text) : LabelIndex::kUnknown;
  if (text_label != LabelIndex::kUnknown) {
    target = text_label;
    return true;
  }
  if (kind == CellKind::missing) {
    if (!lenient_) complain_missing(cell.begin, name, Kind::target, schema_.missing, kRemoveRow, complaint);
    return lenient_;
  }
  if (schema_.task == Task::regression) {
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
                  shown(cell.text), shown(name), shortened_list(schema_.labels));
  return lenient_;
}

// Each piece of a chunk has a tally of every column: those of a wide table are few.
ChunkSizes for_scan(ChunkSizes sizes, std::size_t columns) {
  constexpr std::size_t kWide = 1024, kBytesPerColumn = 512;
  if (columns > kWide) sizes.piece = std::max(sizes.piece, columns * kBytesPerColumn);
  return sizes;
}

}  // namespace

std::unique_ptr<Rows> open_csv(const std::string& path, const RowsOptions& options, const ChunkSizes& wanted) {
  const ChunkSizes sizes = bounded(wanted, options);
  const CsvLayout layout = csv_layout(path, options);
  const CsvScan scan = scan_csv(layout, options, for_scan(sizes, layout.columns()));
  std::vector<std::size_t> match(layout.columns());
  std::iota(match.begin(), match.end(), std::size_t{0});
  RowsOptions strict = options;
  strict.target_required = true;
  strict.missing_values.clear();  // the schema has them, and what the columns show of dates
  strict.date_order.reset();
  auto rows = std::make_unique<CsvRows>(layout, scan.schema, match, !options.weights.empty(), strict, sizes);
  rows->set_scan(scan);
  return rows;
}

std::unique_ptr<Rows> open_csv(const std::string& path, const Schema& schema, const RowsOptions& options,
                               const ChunkSizes& wanted) {
  const ChunkSizes sizes = bounded(wanted, options);
  const CsvLayout layout = csv_layout(path, options, schema);
  Schema own = schema;
  bool weighted = false;
  const std::vector<std::size_t> match = match_columns(layout.names, options, own, weighted);
  own.sparse = false;
  auto rows = std::make_unique<CsvRows>(layout, own, match, weighted, options, sizes);
  if (options.kept) rows->keep(options.kept);
  return rows;
}

}  // namespace bochner
