// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/npy_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/option.h"
#include "base/pieces.h"
#include "rows/byte_rows.h"
#include "rows/columns.h"
#include "rows/file_rows.h"
#include "rows/labels.h"
#include "rows/npy_file.h"
#include "rows/number.h"
#include "rows/streamed_rows.h"
#include "rows/width.h"

namespace bochner {

namespace {

using Kind = Column::Kind;

constexpr std::size_t kBatchBytes = std::size_t{4} << 20;

std::size_t batch_rows(const NpyFile& file) {
  return std::max<std::size_t>(1, kBatchBytes / (sizeof(double) * file.cols()));
}

class NpyRows : public StreamedRows, public ByteRows, public FileRows {
 public:
  NpyRows(const std::string& path, const Schema& schema, const std::vector<std::size_t>& match, bool weighted,
          const RowsOptions& options, bool lenient)
      : path_(path),
        file_(path, bounded({}, options).decompression),
        lenient_(lenient),
        targets_may_miss_(!options.target_required),
        labels_(schema.labels) {
    schema_ = schema;
    weighted_ = weighted;
    size_ = file_.rows();
    shape_buffers();
    std::vector<std::size_t> slots;
    std::size_t input = 0, target = 0;
    for (const Column& column : schema_.columns)
      slots.push_back(column.kind == Kind::target ? target++ : std::exchange(input, input + column.inputs()));
    for (const std::size_t c : match) {
      kinds_.push_back(c == kNoColumn ? Kind::ignored : schema_.columns[c].kind);
      slots_.push_back(c == kNoColumn ? 0 : slots[c]);
    }
    only_inputs_ = file_.holds_floats() && schema_.inputs == kinds_.size();
    for (std::size_t c = 0; c < kinds_.size(); ++c)
      only_inputs_ = only_inputs_ && kinds_[c] == Kind::numeric && slots_[c] == c;
  }

  std::string path() const override { return path_; }
  double fraction_read() const override { return file_.fraction_read(); }
  bool holds_bytes() const override { return only_inputs_ && file_.holds_bytes_anywhere(); }
  void read_bytes(Threads& threads, std::uint8_t* out) const override {
    in_pieces(threads, file_.rows(), batch_rows(file_), [&](std::size_t first, std::size_t count) {
      file_.read_bytes_at(first, count, out + first * file_.cols());
    });
  }
  bool seek(std::size_t row) override {
    file_.skip(row);
    row_ = row;
    start_at(row);
    return true;
  }

 protected:
  bool fill(RowBuffer<float>& rows) override { return only_inputs_ ? fill_inputs(rows) : fill_any(rows); }
  bool fill(RowBuffer<double>& rows) override { return fill_any(rows); }
  void restart() override {
    file_.rewind();
    row_ = 0;
  }

 private:
  template <class T>
  bool fill_any(RowBuffer<T>& rows);
  bool fill_inputs(RowBuffer<float>& rows);
  double target(double value, std::size_t column) const;
  [[noreturn]] void refuse(std::size_t column, double value, const std::string& expected) const {
    fail(Error::Kind::data, "{}: row {}, column {} (from 0): {}, expected {}; correct or remove the row", path_, row_,
         column, value, expected);
  }

  std::string path_;
  NpyFile file_;
  bool lenient_, targets_may_miss_;
  LabelIndex labels_;
  std::vector<Kind> kinds_;         // one for each column of the file
  std::vector<std::size_t> slots_;  // their inputs or targets
  bool only_inputs_ = false;        // the rows of the file are those of a block
  std::size_t row_ = 0;
  AlignedVector<double> batch_;
};

double NpyRows::target(double value, std::size_t column) const {
  if (schema_.task == Task::regression || std::isnan(value)) return value;
  const int label = labels_.find(value);
  if (label != LabelIndex::kUnknown) return label;
  if (lenient_) return std::numeric_limits<double>::quiet_NaN();
  fail(Error::Kind::data,
       "{}: row {}, column {} (from 0): class {}, the model knows only {}; correct it, or train on it", path_, row_,
       column, number_label(value), shortened_list(schema_.labels));
}

template <class T>
bool NpyRows::fill_any(RowBuffer<T>& rows) {
  const std::size_t count = file_.read(batch_rows(file_), batch_);
  const std::size_t cols = file_.cols();
  const std::size_t d = schema_.inputs;
  rows.values.resize((rows.rows + count) * d);
  for (std::size_t i = 0; i < count; ++i, ++row_) {
    const double* const row = batch_.data() + i * cols;
    T* const inputs = rows.values.data() + rows.rows * d;
    std::fill_n(inputs, d, T{0});  // no number of an array is missing
    rows.targets.resize((rows.rows + 1) * schema_.targets);
    for (std::size_t c = 0; c < cols; ++c) {
      if (kinds_[c] == Kind::ignored) continue;
      const bool may_miss = targets_may_miss_ && kinds_[c] == Kind::target && std::isnan(row[c]);
      if (!std::isfinite(row[c]) && !may_miss) refuse(c, row[c], "a finite number");
      if (kinds_[c] == Kind::target) {
        rows.targets[rows.rows * schema_.targets + slots_[c]] = target(row[c], c);
      } else if (kinds_[c] == Kind::weight) {
        if (row[c] < 0) refuse(c, row[c], "a weight of 0 or more");
        rows.weights.push_back(row[c]);
      } else {
        inputs[slots_[c]] = T(row[c]);
        if (!std::isfinite(inputs[slots_[c]]))
          refuse(c, row[c],
                 fmt::format("a number in the range of float, or training with {}", Option::double_precision));
      }
    }
    ++rows.rows;
  }
  return count > 0;
}

bool NpyRows::fill_inputs(RowBuffer<float>& rows) {
  const std::size_t d = schema_.inputs, most = batch_rows(file_);
  rows.values.resize((rows.rows + most) * d);
  float* const begin = rows.values.data() + rows.rows * d;
  const std::size_t count = file_.read_floats(most, begin);
  rows.values.resize((rows.rows + count) * d);
  constexpr std::uint32_t kExponent = 0x7f800000;  // all ones where a float is no number
  bool bad = false;
  for (std::size_t i = 0; i < count * d; ++i) bad |= (std::bit_cast<std::uint32_t>(begin[i]) & kExponent) == kExponent;
  if (bad)
    for (std::size_t i = 0; i < count * d; ++i)
      if (!std::isfinite(begin[i])) {
        row_ += i / d;
        refuse(i % d, double(begin[i]), "a finite number");
      }
  row_ += count;
  rows.rows += count;
  return count > 0;
}

// Task and labels from one pass over the targets; notes about them.
std::vector<std::string> scan_targets(NpyFile& file, const std::string& path, const RowsOptions& options,
                                      const std::vector<Kind>& roles, Schema& schema) {
  const bool several = schema.targets > 1;
  if (several && options.task == Task::classification)
    fail(Error::Kind::data, "{}: several targets for classification, expected one; give one target", path);
  TargetKinds kinds(several ? Task::regression : options.task);
  AlignedVector<double> batch;
  std::size_t first = 0;
  while (const std::size_t count = file.read(batch_rows(file), batch)) {
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t c = 0; c < roles.size(); ++c) {
        const double value = batch[i * roles.size() + c];
        if (roles[c] == Kind::target && std::isnan(value) && !options.target_required) continue;
        if (roles[c] != Kind::ignored && !std::isfinite(value))
          fail(Error::Kind::data,
               "{}: row {}, column {} (from 0): {}, expected a finite number; correct or remove the row", path,
               first + i, c, value);
        if (roles[c] == Kind::target) kinds.add(value);
      }
    first += count;
  }
  if (several || schema.targets == 0) return {};
  schema.task = options.task.value_or(kinds.look_like_classes() ? Task::classification : Task::regression);
  if (schema.task == Task::classification) {
    if (kinds.too_many()) fail(Error::Kind::data, "{}: more than {} classes; choose regression", path, kMostClasses);
    schema.labels = kinds.labels();
  }
  return options.task ? std::vector<std::string>() : kinds.notes(schema.target_names()[0]);
}

}  // namespace

std::unique_ptr<Rows> open_npy(const std::string& path, const RowsOptions& options) {
  NpyFile file(path, bounded({}, options).decompression);
  check_width(path, file.cols(), kArrayColumnBytes, options);
  const ColumnNames names{path, numbered_names(file.cols()), false};
  if (!options.categories.empty())
    fail(Error::Kind::data, "{}: categories are for CSV; store the array as CSV to encode columns", path);
  const std::vector<Kind> roles = assign_roles(names, options);
  Schema schema;
  schema.missing = missing_rule(options);
  for (std::size_t c = 0; c < roles.size(); ++c) {
    schema.columns.push_back({.name = names.names[c], .kind = roles[c]});
    schema.inputs += roles[c] == Kind::numeric;
    schema.targets += roles[c] == Kind::target;
  }
  std::vector<std::string> notes;
  if (schema.targets > 0) notes = scan_targets(file, path, options, roles, schema);
  std::vector<std::size_t> match(roles.size());
  std::iota(match.begin(), match.end(), std::size_t{0});
  auto rows = std::make_unique<NpyRows>(path, schema, match, !options.weights.empty(), options, false);
  rows->set_notes(std::move(notes));
  return rows;
}

std::unique_ptr<Rows> open_npy(const std::string& path, const Schema& schema, const RowsOptions& options) {
  const NpyFile file(path, bounded({}, options).decompression);
  check_width(path, file.cols(), kArrayColumnBytes, options);
  const ColumnNames names{path, numbered_names(file.cols()), false};
  Schema own = schema;
  own.sparse = false;
  bool weighted = false;
  const std::vector<std::size_t> match = match_columns(names, options, own, weighted);
  for (const Column& column : own.columns)
    if (column.kind == Kind::category)
      fail(Error::Kind::data, "{}: .npy holds numbers only, the model has the text column '{}'; use CSV", path,
           column.name);
  return std::make_unique<NpyRows>(path, own, match, weighted, options, !options.target_required);
}

}  // namespace bochner
