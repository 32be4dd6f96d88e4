// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <type_traits>
#include <utility>

#include "base/require.h"
#include "bochner/rows.h"
#include "random/draw.h"
#include "rows/row_buffer.h"

namespace bochner {

namespace {

class SubsetRows : public Rows {
 public:
  SubsetRows(Rows& rows, std::function<bool(std::uint64_t)> takes) : rows_(rows), takes_(std::move(takes)) {
    count_where_known();
  }

  const Schema& schema() const override { return rows_.schema(); }
  void rewind() override {
    rows_.rewind();
    float_.clear();
    double_.clear();
    first_ = seen_ = 0;
  }
  bool next(std::size_t max_rows, RowBlock<float>& block) override { return gather(max_rows, block, float_); }
  bool next(std::size_t max_rows, RowBlock<double>& block) override { return gather(max_rows, block, double_); }
  std::optional<std::size_t> size() const override { return size_; }
  double fraction_read() const override { return rows_.fraction_read(); }
  std::vector<std::string> notes() const override { return rows_.notes(); }
  CellCounts counts() const override { return rows_.counts(); }  // all rows: their shares are much the same
  // Sparse rows differ in length: those taken may be a little longer than the mean.
  std::size_t memory_bytes(std::size_t element_bytes) const override {
    const auto all = rows_.size();
    if (!size_ || !all || *all == 0) return 0;
    const std::size_t bytes = rows_.memory_bytes(element_bytes);
    if (!schema().sparse) return *size_ * (bytes / *all);
    return std::size_t(1.05 * double(bytes) * (double(*size_) / double(*all)));
  }

 private:
  // Rows come in blocks of what is still missing: some are left out, so a few rounds make a block.
  template <class T>
  bool gather(std::size_t max_rows, RowBlock<T>& block, RowBuffer<T>& buffer) {
    require(max_rows > 0, "rows: a block of 0 rows was asked for, expected at least 1");
    buffer.clear();
    RowBlock<T> more;
    while (buffer.rows < max_rows && rows_.next(max_rows - buffer.rows, more)) {
      buffer.cols = more.cols;
      buffer.target_count = more.targets ? more.target_count : 0;
      buffer.sparse = more.sparse();
      buffer.weighted = more.weights != nullptr;
      for (std::size_t i = 0; i < more.rows;) {  // runs of rows that are taken
        if (!takes_(seen_ + i)) {
          ++i;
          continue;
        }
        std::size_t end = i + 1;
        while (end < more.rows && takes_(seen_ + end)) ++end;
        buffer.append(more.slice(i, end - i));
        i = end;
      }
      seen_ += more.rows;
    }
    block = buffer.view(0, buffer.rows, first_);
    first_ += buffer.rows;
    if (buffer.rows == 0) size_ = first_;
    return buffer.rows > 0;
  }

  void count_where_known() {
    const auto all = rows_.size();
    if (!all) return;
    std::size_t count = 0;
    for (std::uint64_t row = 0; row < *all; ++row) count += takes_(row) ? 1 : 0;
    size_ = count;
  }

  Rows& rows_;
  std::function<bool(std::uint64_t)> takes_;
  std::optional<std::size_t> size_;
  RowBuffer<float> float_;
  RowBuffer<double> double_;
  std::size_t first_ = 0;   // number of the next row among those taken
  std::uint64_t seen_ = 0;  // rows of the whole set so far
};

}  // namespace

std::unique_ptr<Rows> subset_rows(Rows& rows, std::function<bool(std::uint64_t)> takes) {
  require(bool(takes), "subset: no function that says which rows are taken");
  return std::make_unique<SubsetRows>(rows, std::move(takes));
}

bool is_test_row(std::uint64_t seed, std::uint64_t row, double share) {
  return uniform(seed, Draw::split, row) < share;
}

std::size_t fold_of_row(std::uint64_t seed, std::uint64_t row, std::size_t folds) {
  return std::size_t(uniform(seed, Draw::split, row, 1) * double(folds));
}

}  // namespace bochner
