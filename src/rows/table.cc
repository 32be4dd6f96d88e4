// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <utility>

#include "base/aligned.h"
#include "base/require.h"
#include "bochner/table_rows.h"
#include "rows/beyond_float.h"
#include "rows/class_target.h"
#include "rows/in_memory.h"
#include "rows/shifted.h"

namespace bochner {

namespace {

template <class T>
class TableRows final : public Rows, public InMemory {
 public:
  TableRows(const TableView<T>& x, const double* targets, Schema schema, const double* weights)
      : x_(x), targets_(targets), schema_(std::move(schema)), weights_(weights) {}

  const Schema& schema() const override { return schema_; }
  void rewind() override { first_ = 0; }
  bool next(std::size_t max_rows, RowBlock<float>& block) override { return serve(max_rows, block, float_); }
  bool next(std::size_t max_rows, RowBlock<double>& block) override { return serve(max_rows, block, double_); }
  std::optional<std::size_t> size() const override { return x_.rows; }
  double fraction_read() const override { return x_.rows ? double(first_) / double(x_.rows) : 1; }
  std::size_t memory_bytes(std::size_t element_bytes) const override {
    return x_.rows * (x_.cols * element_bytes + sizeof(double) * (schema_.targets + (weights_ ? 1 : 0)));
  }
  bool seek(std::size_t row) override {
    first_ = std::min(row, x_.rows);
    return true;
  }

 private:
  template <class U>
  bool serve(std::size_t max_rows, RowBlock<U>& block, AlignedVector<U>& values) {
    require(max_rows > 0, "rows: a block of 0 rows was asked for, expected at least 1");
    const std::size_t rows = std::min(max_rows, x_.rows - first_);
    values.resize(rows * x_.cols);
    copy(rows, values.data());
    block = RowBlock<U>::dense({values.data(), rows, x_.cols, x_.cols}, first_);
    check_within_float("rows", schema_, block, [&](std::size_t k) { return at(first_ + k / x_.cols, k % x_.cols); });
    block.target_count = schema_.targets;
    block.targets = targets_ ? targets_ + first_ * schema_.targets : nullptr;
    block.weights = weights_ ? weights_ + first_ : nullptr;
    first_ += rows;
    return rows > 0;
  }

  // Copies square by square, so that a cache line of either side is used as a whole.
  template <class U>
  void copy(std::size_t rows, U* to) const {
    constexpr std::size_t kSide = 32;
    for (std::size_t i0 = 0; i0 < rows; i0 += kSide)
      for (std::size_t j0 = 0; j0 < x_.cols; j0 += kSide)
        for (std::size_t i = i0; i < std::min(rows, i0 + kSide); ++i)
          for (std::size_t j = j0; j < std::min(x_.cols, j0 + kSide); ++j) to[i * x_.cols + j] = U(at(first_ + i, j));
  }
  T at(std::size_t i, std::size_t j) const {
    return x_.data[std::ptrdiff_t(i) * x_.row_step + std::ptrdiff_t(j) * x_.column_step];
  }

  TableView<T> x_;
  const double* targets_;
  Schema schema_;
  const double* weights_;
  std::size_t first_ = 0;
  AlignedVector<float> float_;
  AlignedVector<double> double_;
};

}  // namespace

template <class T>
std::unique_ptr<Rows> table_rows(const TableView<T>& x, MatrixView<const double> targets, const Schema& schema,
                                 const double* weights) {
  require(x.cols == schema.inputs, "table rows: {} columns, the schema has {} inputs", x.cols, schema.inputs);
  require(targets.data == nullptr || targets.rows == x.rows, "table rows: {} rows and {} targets, expected as many",
          x.rows, targets.rows);
  require(targets.data == nullptr || targets.stride == targets.cols,
          "table rows: targets have stride {} and {} columns, expected them without gaps", targets.stride,
          targets.cols);
  Schema own = schema;
  own.sparse = false;
  own.targets = targets.data ? targets.cols : 0;
  check_class_targets(targets.data, x.rows, targets.cols, own);
  const std::vector<double> offsets = std::exchange(own.offsets, {});
  auto rows = std::make_unique<TableRows<T>>(x, targets.data, std::move(own), weights);
  if (offsets.empty()) return rows;
  return shifted_rows(std::move(rows), offsets);
}

template std::unique_ptr<Rows> table_rows(const TableView<float>&, MatrixView<const double>, const Schema&,
                                          const double*);
template std::unique_ptr<Rows> table_rows(const TableView<double>&, MatrixView<const double>, const Schema&,
                                          const double*);

}  // namespace bochner
