// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/csv_rows.h"

#include <numeric>

#include "bochner/csv_text.h"
#include "rows/csv_cell.h"
#include "rows/csv_cells.h"
#include "rows/csv_layout.h"
#include "rows/csv_scan.h"
#include "rows/csv_tally.h"
#include "rows/number.h"
#include "rows/text_rows.h"
#include "rows/width.h"

namespace bochner {

namespace {

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
        cells_(schema, layout.names.names, match, options),
        drop_(schema.missing == Missing::drop && options.target_required) {
    schema_ = schema;
    weighted_ = weighted;
    shape_buffers();
    // A number may be taken as soon as it is seen, unless it may mean a missing cell or its comma may be a delimiter.
    const bool plain = !cells_.rules().numbers_may_be_missing() && cells_.rules().decimal() != layout_.delimiter;
    for (const CellPlan& cell : cells_.plans())
      quick_.push_back({std::uint32_t(cell.slot), plain && cell.is_number(), layout_.delimiter});
    quick_.back().stop = '\n';
  }

  void set_scan(const CsvScan& scan) {
    size_ = scan.rows;
    notes_ = scan.notes;
    set_counts(scan.counts);
  }

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
  template <class T>
  void parse_any(const char* begin, const char* end, RowBuffer<T>& rows, Complaint& complaint) const;
  template <class T>
  void resize(RowBuffer<T>& rows, std::size_t count) const;
  std::string kept_line(const char* row) const;

  CsvLayout layout_;
  CsvCells cells_;
  std::vector<QuickPlan> quick_;  // one for each column of the file
  bool drop_;                     // rows with a missing cell are left out
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
void CsvRows::resize(RowBuffer<T>& rows, std::size_t count) const {
  rows.values.resize(count * schema_.inputs);
  rows.targets.resize(count * schema_.targets);
  if (weighted_) rows.weights.resize(count);
}

template <class T>
void CsvRows::parse_any(const char* begin, const char* end, RowBuffer<T>& rows, Complaint& complaint) const {
  const std::size_t columns = quick_.size();
  const std::size_t d = schema_.inputs, t = schema_.targets;
  const char delimiter = layout_.delimiter, point = cells_.rules().decimal();
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
      if (const char* next = skip_incomplete(p, delimiter, cells_.rules(), cells_.among())) {
        p = next;
        continue;
      }
    }
    if (rows.rows == capacity) {  // the rows so far give an estimate of their number
      const std::size_t guess =
          p == begin ? 64 : std::size_t(double(end - begin) / double(p - begin) * double(capacity));
      capacity = std::max(capacity + capacity / 8 + 64, guess + 8);
      resize(rows, capacity);
    }
    T* const inputs = rows.values.data() + rows.rows * d;
    double* const targets = rows.targets.data() + rows.rows * t;
    double& weight = weighted_ ? rows.weights[rows.rows] : nothing;
    if (cells_.encoded()) std::fill(inputs, inputs + d, T{0});
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
      if (!cells_.take<T>(c, cell, {inputs, targets, weight, rows}, complaint)) return;
      p = cell.next + 1;
    }
    ++rows.rows;
    if (kept_) rows.kept.push_back(kept_line(start));
  }
  resize(rows, rows.rows);
  rows.counts.rows = rows.rows;
  rows.counts.cells = rows.rows * cells_.input_columns();
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
  strict.target_required = options.target_required || options.targets.empty() || scan.schema.missing == Missing::drop;
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
