// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto rows = open_rows("cars.csv.gz", {.targets = {"price"}, .ignore = {"id"}});  // a scan learns the schema
//   Matrix<float> x(100, 3);
//   Matrix<double> y(100, 1);
//   Schema schema;
//   schema.inputs = 3;
//   schema.targets = 1;
//   const auto mine = memory_rows<float>(x.view(), y.view(), schema);  // numbers the program has

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bochner/matrix.h"
#include "bochner/row_block.h"
#include "bochner/schema.h"

namespace bochner {

// What the cells of a pass were like, as far as their reader can tell.
struct CellCounts {
  std::uint64_t rows = 0;
  std::uint64_t cells = 0, missing = 0;  // cells of inputs
  std::uint64_t unknown_rows = 0;        // rows with a text that is no level of its column
  std::string unknown = {};              // the first one: "city=Mars"

  void add(const CellCounts& other) {
    rows += other.rows;
    cells += other.cells;
    missing += other.missing;
    unknown_rows += other.unknown_rows;
    if (unknown.empty()) unknown = other.unknown;
  }
};

// Where rows come from. One pass after another: next() until it says false, then rewind().
//
// Not thread-safe: one thread at a time reads a source; two sources may be read at the same time, also of one file.
class Rows {
 public:
  virtual ~Rows() = default;

  virtual const Schema& schema() const = 0;
  virtual void rewind() = 0;

  // The next block: exactly max_rows rows, fewer only at the end of the data. Valid until the next call.
  virtual bool next(std::size_t max_rows, RowBlock<float>& block) = 0;
  virtual bool next(std::size_t max_rows, RowBlock<double>& block) = 0;

  // Rows in all where that is known (always after the first whole pass).
  virtual std::optional<std::size_t> size() const = 0;
  // Fraction of this pass already read, for progress.
  virtual double fraction_read() const = 0;
  // Bytes the whole set takes in memory as blocks of the given element size; 0 when unknown.
  virtual std::size_t memory_bytes(std::size_t element_bytes) const = 0;
  // What the scan decided about the columns that one might not expect, in lines for people.
  virtual std::vector<std::string> notes() const { return {}; }
  // Counts the rows read since rewind(), a few of which may not have been given out yet; those of the last whole pass
  // if none has begun.
  virtual CellCounts counts() const { return {}; }

  // The number of the first row: 0 but for a shard.
  virtual std::size_t first_row() const { return 0; }
  // After rewind(): goes on with this row where that costs less than reading up to it. False: nothing has changed.
  virtual bool seek(std::size_t) { return false; }
  // Shard `index` of `count`: consecutive rows that keep their numbers, cut at multiples of kChunkRows, so that folds
  // of all shards merge to the fold of all rows, to the bit. Shards of few rows may be empty. A view: these rows must
  // outlive it, and one of them is read at a time. Where the number of rows is not known it is found by a pass.
  std::unique_ptr<Rows> shard(std::size_t index, std::size_t count);
};

enum class Format { automatic, csv, svmlight, npy };

// Cells of a CSV file that go beside its rows as they are: an identifier, say. Reading fills `lines`, one for each row
// in order, ready to be written as CSV; whoever has used some takes them from the front.
struct KeptCells {
  std::vector<std::string> columns = {};  // wanted: names or indices from 0
  std::vector<std::string> names = {};    // found: their names
  std::deque<std::string> lines = {};
};

struct RowsOptions {
  Format format = Format::automatic;         // automatic: the file's name says, then its first bytes
  std::vector<std::string> targets = {};     // names or indices from 0 (-1: last); svmlight carries its own
  std::string weights = {};                  // name or index of a column of row weights
  std::vector<std::string> ignore = {};      // names or indices of columns to leave out
  std::vector<std::string> categories = {};  // csv: columns to encode as text: codes, identifiers, dates
  std::optional<Task> task = {};             // none: text or few whole numbers (<= 20 kinds) are classes
  // None: as `mean`; if there is a target to learn, also as `mark` for columns of which at least 20 cells are missing
  // and 20 are not, or whose other cells are all the same.
  std::optional<Missing> missing = {};
  // csv: texts that mean a missing cell, such as "unknown" or "-999", besides the usual ones. Usual are an empty cell,
  // ?, NA, N/A, #N/A, <NA>, n/a, null, NULL, NaN and nan; in columns of numbers and dates also -, --, ., none, missing,
  // and all of these in small or capital letters.
  std::vector<std::string> missing_values = {};
  bool usual_missing = true;  // false: only the empty cell and missing_values
  // csv: '.' or ','. None: a comma where the delimiter is another, all texts of a column are like 1,25, and not all of
  // them could be thousands; otherwise a point.
  std::optional<char> decimal = {};
  // csv: which of day and month comes first in dates like 03/04/2024. None: as the column shows; a column that does
  // not show it is refused.
  std::optional<Column::Dates> date_order = {};
  std::optional<bool> header = {};     // csv; none: the first line has text where the rows below have numbers
  std::optional<char> delimiter = {};  // csv; none: of , ; tab and | the one the first line has most of
  std::optional<int> index_base = {};  // svmlight; none: 0 where an index 0 occurs, otherwise 1
  // csv: the most frequent levels of a text column that become inputs. 0, for the automatic machine: 256, and a column
  // of more levels becomes one input, the place of the level among all of them, which the machine takes for what it is.
  std::size_t max_levels = 256;
  int threads = 0;              // for parsing; 0: all cores
  std::size_t memory = 0;       // bytes: a file too wide for it is refused; 0: 3/4 of what is free
  bool target_required = true;  // false: targets only where the file has them; in training NaN for a missing one
  bool inputs_only = false;     // targets are left out like ignored columns: for what learns from none
  KeptCells* kept = nullptr;    // csv, for a model: cells that are carried along; must outlive the rows
};

// Opens a file for training: one scan learns the schema, then rows stream. Path may end in .gz, .xz or .zst;
// `-` is not accepted because training passes over the rows more than once.
std::unique_ptr<Rows> open_rows(const std::string& path, const RowsOptions& options = {});

// Opens a file for a model trained before: the schema decides what each cell means. No scan, one pass suffices: the
// path may name a pipe, and `-` is standard input. Such rows are read once; rewind() after a pass throws
// Error::Kind::io.
std::unique_ptr<Rows> open_rows(const std::string& path, const Schema& schema, const RowsOptions& options = {});

// Rows that already lie in memory (a view: the caller keeps the data alive). Targets: n x t or empty.
template <class T>
std::unique_ptr<Rows> memory_rows(MatrixView<const T> x, MatrixView<const double> targets, const Schema& schema,
                                  const double* weights = nullptr);

// The same for a block that is dense or CSR and brings its targets and weights. CSR columns must ascend in each row.
template <class T>
std::unique_ptr<Rows> memory_rows(const RowBlock<T>& all, const Schema& schema);

// Reads all of `rows` once and keeps it in memory as T.
template <class T>
std::unique_ptr<Rows> cached_rows(Rows& rows);

// The rows whose number is taken, numbered anew from 0. `rows` must outlive it.
std::unique_ptr<Rows> subset_rows(Rows& rows, std::function<bool(std::uint64_t row)> takes);

// Draws for an honest split, pure functions of the seed and the row's number: whether a row is kept for the test where
// a share of all rows is, and which fold it falls into.
bool is_test_row(std::uint64_t seed, std::uint64_t row, double share);
std::size_t fold_of_row(std::uint64_t seed, std::uint64_t row, std::size_t folds);

}  // namespace bochner
