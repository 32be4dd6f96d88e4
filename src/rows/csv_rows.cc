// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/csv_rows.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "rows/csv_cell.h"
#include "rows/csv_layout.h"
#include "rows/csv_scan.h"
#include "rows/csv_tally.h"
#include "rows/labels.h"
#include "rows/number.h"
#include "rows/text_index.h"
#include "rows/text_rows.h"

namespace bochner {

namespace {

using Kind = Column::Kind;

// What to do with one column of the file.
struct CellPlan {
  Kind kind = Kind::ignored;
  std::size_t slot = 0;  // input (the first one of a category) or target
  double fill = 0;
  TextIndex levels;
};

// The part of a plan that the inner loop looks at, kept small: a number goes to its input and ends with `stop`.
struct QuickPlan {
  std::uint32_t slot = 0;
  bool numeric = false;
  char stop = '\n';
};

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
        lenient_(!options.target_required),
        drop_(schema.missing == Missing::drop && !lenient_),
        labels_(schema.labels) {
    schema_ = schema;
    weighted_ = weighted;
    shape_buffers();
    plan(match);
  }

  void set_size(std::size_t rows) { size_ = rows; }

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
    for (const std::size_t c : match) {
      CellPlan cell;
      if (c != kNoColumn) {
        const Column& column = schema_.columns[c];
        cell.kind = column.kind;
        cell.slot = slots[c];
        cell.fill = column.fill;
        cell.levels = TextIndex(column.levels);
      }
      quick_.push_back({std::uint32_t(cell.slot), cell.kind == Kind::numeric, layout_.delimiter});
      inputs_.push_back(cell.kind == Kind::numeric || cell.kind == Kind::category);
      plans_.push_back(std::move(cell));
    }
    quick_.back().stop = '\n';
  }

  template <class T>
  void parse_any(const char* begin, const char* end, RowBuffer<T>& rows, Complaint& complaint) const;
  template <class T>
  bool take_cell(std::size_t c, const CsvCell& cell, T* inputs, double* targets, double& weight,
                 Complaint& complaint) const;
  bool take_target(std::size_t c, const CsvCell& cell, double& target, Complaint& complaint) const;

  CsvLayout layout_;
  std::vector<CellPlan> plans_;  // of the file's columns
  std::vector<QuickPlan> quick_;
  bool encoded_ = false;      // some inputs are indicators
  bool lenient_;              // targets may be missing or unknown: NaN
  bool drop_;                 // rows with a missing input are left out
  std::vector<bool> inputs_;  // columns of the file that are inputs
  LabelIndex labels_;
};

template <class T>
void CsvRows::parse_any(const char* begin, const char* end, RowBuffer<T>& rows, Complaint& complaint) const {
  const std::size_t columns = plans_.size();
  const std::size_t d = schema_.inputs, t = schema_.targets;
  const char delimiter = layout_.delimiter;
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
      if (const char* next = skip_incomplete(p, delimiter, inputs_)) {
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
        if (const char* q = parse_number(p, inputs[plan.slot]); q && *q == stop) {
          p = q + 1;
          continue;
        }
      }
      const CsvCell cell = read_cell(p, delimiter, scratch);
      if (cell.complaint) return complaint.say(cell.next, "{}", cell.complaint);
      if (*cell.next != stop) return complain_ragged(start, layout_, complaint);
      if (!take_cell(c, cell, inputs, targets, weight, complaint)) return;
      p = cell.next + 1;
    }
    ++rows.rows;
  }
  rows.values.resize(rows.rows * d);
  rows.targets.resize(rows.rows * t);
  if (weighted_) rows.weights.resize(rows.rows);
}

// A cell that is not just a number in place. False after a complaint.
template <class T>
bool CsvRows::take_cell(std::size_t c, const CsvCell& cell, T* inputs, double* targets, double& weight,
                        Complaint& complaint) const {
  const CellPlan& plan = plans_[c];
  const std::string& name = layout_.names.names[c];
  if (plan.kind == Kind::ignored) return true;
  if (plan.kind == Kind::target) return take_target(c, cell, targets[plan.slot], complaint);
  double value = 0;
  const CellKind kind = classify(cell.text, value);
  if (plan.kind == Kind::weight) {
    if (kind == CellKind::number && value >= 0) {
      weight = value;
      return true;
    }
    complaint.say(cell.begin, "weight '{}' in column '{}', expected a number, 0 or more; correct it", shown(cell.text),
                  shown(name));
    return false;
  }
  if (kind == CellKind::missing) {
    if (schema_.missing == Missing::error) {
      complaint.say(cell.begin, "column '{}' has no value here; fill it in, or choose the missing policy mean or drop",
                    shown(name));
      return false;
    }
  }
  if (plan.kind == Kind::category) {
    const std::uint32_t level = plan.levels.find(kind == CellKind::missing ? std::string_view{} : cell.text);
    if (level != TextIndex::kNone) inputs[plan.slot + level] = 1;
    return true;
  }
  if (kind == CellKind::missing) {
    inputs[plan.slot] = T(plan.fill);
  } else if (kind == CellKind::number) {
    inputs[plan.slot] = T(value);
    if (!std::isfinite(inputs[plan.slot])) {
      complaint.say(cell.begin, "'{}' in column '{}' is beyond the range of float; scale the column, or use double",
                    shown(cell.text), shown(name));
      return false;
    }
  } else {
    complaint.say(cell.begin,
                  "'{}' in column '{}', expected a {}; correct it, or leave the cell empty if it is missing",
                  shown(cell.text), shown(name), kind == CellKind::special ? "finite number" : "number as in training");
    return false;
  }
  return true;
}

bool CsvRows::take_target(std::size_t c, const CsvCell& cell, double& target, Complaint& complaint) const {
  const std::string& name = layout_.names.names[c];
  double value = 0;
  const CellKind kind = classify(cell.text, value);
  target = std::numeric_limits<double>::quiet_NaN();
  if (kind == CellKind::missing) {
    if (!lenient_)
      complaint.say(cell.begin, "the target '{}' is missing, expected a value; fill it in or remove the row",
                    shown(name));
    return lenient_;
  }
  if (schema_.task == Task::regression) {
    target = value;
    if (kind != CellKind::number)
      complaint.say(cell.begin, "'{}' in target '{}', expected a finite number; correct it or remove the row",
                    shown(cell.text), shown(name));
    return kind == CellKind::number;
  }
  const int label = !labels_.numeric()         ? labels_.find(cell.text)
                    : kind == CellKind::number ? labels_.find(value)
                                               : LabelIndex::kUnknown;
  if (label != LabelIndex::kUnknown) {
    target = label;
    return true;
  }
  if (!lenient_)
    complaint.say(cell.begin, "class '{}' in target '{}', the model knows only {}; correct it, or train on it",
                  shown(cell.text), shown(name), shortened_list(schema_.labels));
  return lenient_;
}

}  // namespace

std::unique_ptr<Rows> open_csv(const std::string& path, const RowsOptions& options, const ChunkSizes& sizes) {
  const CsvLayout layout = csv_layout(path, options);
  const CsvScan scan = scan_csv(layout, options, sizes);
  std::vector<std::size_t> match(layout.columns());
  std::iota(match.begin(), match.end(), std::size_t{0});
  RowsOptions strict = options;
  strict.target_required = true;
  auto rows = std::make_unique<CsvRows>(layout, scan.schema, match, !options.weights.empty(), strict, sizes);
  rows->set_size(scan.rows);
  return rows;
}

std::unique_ptr<Rows> open_csv(const std::string& path, const Schema& schema, const RowsOptions& options,
                               const ChunkSizes& sizes) {
  const CsvLayout layout = csv_layout(path, options, schema);
  Schema own = schema;
  bool weighted = false;
  const std::vector<std::size_t> match = match_columns(layout.names, options, own, weighted);
  own.sparse = false;
  return std::make_unique<CsvRows>(layout, own, match, weighted, options, sizes);
}

}  // namespace bochner
