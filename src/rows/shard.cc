// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/shard.h"

#include <algorithm>

#include "base/require.h"

namespace bochner {

namespace {

// Rows begin .. end of a source, by their numbers; `renumbered`: given out from 0 on.
class RowRange final : public Rows {
 public:
  RowRange(Rows& rows, std::size_t begin, std::size_t end, bool renumbered = false)
      : rows_(rows), begin_(begin), end_(end), row_(begin), shift_(renumbered ? begin : 0) {}

  const Schema& schema() const override { return rows_.schema(); }
  void rewind() override {
    row_ = begin_;
    started_ = false;
  }
  bool next(std::size_t max_rows, RowBlock<float>& block) override { return serve(max_rows, block); }
  bool next(std::size_t max_rows, RowBlock<double>& block) override { return serve(max_rows, block); }
  std::optional<std::size_t> size() const override { return end_ - begin_; }
  double fraction_read() const override { return end_ > begin_ ? double(row_ - begin_) / double(end_ - begin_) : 1; }
  std::size_t memory_bytes(std::size_t element_bytes) const override {
    const auto all = rows_.size();
    if (!all || *all == 0) return 0;
    return std::size_t(double(rows_.memory_bytes(element_bytes)) * (double(end_ - begin_) / double(*all)));
  }
  std::vector<std::string> notes() const override { return rows_.notes(); }
  CellCounts counts() const override { return rows_.counts(); }  // includes rows that were passed over
  std::size_t first_row() const override { return begin_ - shift_; }
  bool seek(std::size_t row) override {
    rows_.rewind();
    if (!rows_.seek(row + shift_)) return false;
    row_ = row + shift_;
    return started_ = true;
  }

 private:
  template <class T>
  bool serve(std::size_t max_rows, RowBlock<T>& block) {
    require(max_rows > 0, "rows: a block of 0 rows was asked for, expected at least 1");
    if (!started_) start(block);
    if (row_ >= end_ || !rows_.next(std::min(max_rows, end_ - row_), block)) return false;
    row_ += block.rows;
    block.first -= shift_;
    return true;
  }

  // The source behind the rows before ours. They are read as T: a pass is of one type.
  template <class T>
  void start(RowBlock<T>& block) {
    constexpr std::size_t kBlock = 4096;
    started_ = true;
    rows_.rewind();
    std::size_t row = rows_.first_row();
    if (row == begin_ || rows_.seek(begin_)) return;
    while (row < begin_ && rows_.next(std::min(kBlock, begin_ - row), block)) row += block.rows;
  }

  Rows& rows_;
  std::size_t begin_, end_, row_;  // numbers in the source; row_: the next
  std::size_t shift_;
  bool started_ = false;
};

std::size_t count_rows(Rows& rows) {
  if (const auto known = rows.size()) return *known;
  constexpr std::size_t kBlock = 4096;
  std::size_t count = 0;
  RowBlock<double> block;
  rows.rewind();
  while (rows.next(kBlock, block)) count += block.rows;
  rows.rewind();
  return count;
}

}  // namespace

std::unique_ptr<Rows> Rows::shard(std::size_t index, std::size_t count) {
  require(count > 0 && index < count, "rows: shard {} of {}, expected a number below the number of shards", index,
          count);
  const std::size_t begin = first_row(), end = begin + count_rows(*this);
  const std::size_t first_chunk = begin / kChunkRows, chunks = (end + kChunkRows - 1) / kChunkRows - first_chunk;
  const auto edge = [&](std::size_t i) {
    const std::size_t chunk = chunks / count * i + std::min(i, chunks % count);
    return std::clamp((first_chunk + chunk) * kChunkRows, begin, end);
  };
  return std::make_unique<RowRange>(*this, edge(index), edge(index + 1));
}

Rows& numbered_from_0(Rows& rows, std::unique_ptr<Rows>& owner) {
  if (rows.first_row() == 0) return rows;
  owner = std::make_unique<RowRange>(rows, rows.first_row(), rows.first_row() + count_rows(rows), true);
  return *owner;
}

}  // namespace bochner
