// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/online/stream_memory.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "rows/rows_over.h"

namespace bochner {

namespace {

HeldBatch empty_like(const HeldBatch& other, std::size_t rows, bool weighted) {
  HeldBatch same;
  same.x = Matrix<double>(rows, other.x.cols());
  same.y = Matrix<double>(rows, other.y.cols());
  same.schema = other.schema;
  if (weighted || !other.weights.empty()) same.weights.assign(rows, 1.0);
  return same;
}

class RowsAsRead final : public RowsOver {
 public:
  RowsAsRead(std::unique_ptr<Rows> rows, Schema schema)
      : RowsOver(*rows), owned_(std::move(rows)), schema_(std::move(schema)) {}

  const Schema& schema() const override { return schema_; }
  bool next(std::size_t max_rows, RowBlock<float>& block) override { return rows_.next(max_rows, block); }
  bool next(std::size_t max_rows, RowBlock<double>& block) override { return rows_.next(max_rows, block); }

 private:
  std::unique_ptr<Rows> owned_;
  Schema schema_;
};

}  // namespace

std::unique_ptr<Rows> rows_as_read(const RowBlock<double>& rows, const Schema& schema) {
  Schema plain = schema;
  plain.offsets.clear();  // rows in memory would lose them again
  return std::make_unique<RowsAsRead>(memory_rows<double>(rows, plain), schema);
}

HeldBatch HeldBatch::of(Rows& rows, std::span<const double> times, std::uint64_t first) {
  constexpr std::size_t kBlockRows = 4096;
  std::vector<HeldBatch> blocks;
  RowBlock<double> block;
  std::size_t count = 0;
  while (rows.next(kBlockRows, block)) {
    require(!block.sparse(), "watch: found sparse rows, expected columns");
    HeldBatch& part = blocks.emplace_back();
    part.x = Matrix<double>(block.rows, block.cols);
    part.y = Matrix<double>(block.rows, block.targets ? block.target_count : 0);
    for (std::size_t i = 0; i < block.rows; ++i) {
      std::copy_n(block.values + i * block.stride, block.cols, part.x.view().row(i));
      if (block.targets) std::copy_n(block.targets + i * block.target_count, block.target_count, part.y.view().row(i));
    }
    if (block.weights) part.weights.assign(block.weights, block.weights + block.rows);
    part.first = count;
    count += block.rows;
    if (block.rows < kBlockRows) break;
  }
  if (blocks.empty() || count == 0) fail(Error::Kind::data, "watch: there are no rows");
  HeldBatch all = std::move(blocks.front());
  if (blocks.size() > 1) {
    HeldBatch joined = empty_like(all, count, false);
    blocks.front() = std::move(all);
    for (const HeldBatch& part : blocks) {
      std::copy_n(part.x.data(), part.x.rows() * part.x.cols(), joined.x.view().row(part.first));
      std::copy_n(part.y.data(), part.y.rows() * part.y.cols(), joined.y.view().row(part.first));
      std::copy(part.weights.begin(), part.weights.end(), joined.weights.begin() + std::ptrdiff_t(part.first));
    }
    all = std::move(joined);
  }
  require(times.empty() || times.size() == count, "watch: found {} times for {} rows, expected one for each",
          times.size(), count);
  all.times.assign(times.begin(), times.end());
  all.first = first;
  all.schema = std::make_shared<const Schema>(rows.schema());
  return all;
}

std::unique_ptr<Rows> HeldBatch::read() const {
  RowBlock<double> block = RowBlock<double>::dense(x.view());
  if (y.cols() > 0) {
    block.targets = y.data();
    block.target_count = y.cols();
  }
  if (!weights.empty()) block.weights = weights.data();
  return rows_as_read(block, *schema);
}

void StreamMemory::add(HeldBatch batch) {
  if (span_.days > 0) {
    require(batch.times.size() == batch.x.rows(), "watch: found {} times for {} rows, expected one for each",
            batch.times.size(), batch.x.rows());
    double last = batches_.empty() ? batch.times[0] : batches_.back().times.back();
    for (std::size_t i = 0; i < batch.times.size(); ++i) {
      if (!(batch.times[i] >= last))
        fail(Error::Kind::data,
             "watch: row {}: it is {} days older than the row before it, expected rows in the order of their times; "
             "sort them",
             batch.first + i, last - batch.times[i]);
      last = batch.times[i];
    }
  }
  batches_.push_back(std::move(batch));
}

std::uint64_t StreamMemory::begin_of(std::size_t level) const {
  const double levels = double(level + 1);
  if (span_.rows > 0) {
    const double back = levels * double(span_.rows);
    return back < double(end()) ? end() - (level + 1) * span_.rows : 0;
  }
  const double oldest = batches_.back().times.back() - levels * span_.days;  // rows of this time have left
  for (const HeldBatch& batch : batches_) {
    const auto stays = std::upper_bound(batch.times.begin(), batch.times.end(), oldest);
    if (stays != batch.times.end()) return batch.first + std::uint64_t(stays - batch.times.begin());
  }
  return end();
}

void StreamMemory::age(const std::function<void(const HeldBatch& rows, std::size_t from)>& change) {
  if (!span_.any() || batches_.empty()) return;
  for (std::size_t level = 0; level < levels(); ++level) {
    const std::uint64_t begin = std::max(begin_of(level), begins_[level]);
    if (begin > begins_[level]) change(rows(begins_[level], begin, level), level);
    begins_[level] = begin;
  }
  drop_before(begins_.back());
}

void StreamMemory::drop_before(std::uint64_t row) {
  for (std::uint64_t& begin : begins_) begin = std::max(begin, row);
  while (batches_.size() > 1 && batches_.front().end() <= row) batches_.pop_front();
}

void StreamMemory::append(HeldBatch& to, std::uint64_t begin, std::uint64_t end, double weight) const {
  for (const HeldBatch& batch : batches_)
    for (std::uint64_t row = std::max(begin, batch.first); row < std::min(end, batch.end()); ++row) {
      const auto from = std::size_t(row - batch.first), at = std::size_t(row - to.first);
      std::copy_n(batch.x.view().row(from), batch.x.cols(), to.x.view().row(at));
      std::copy_n(batch.y.view().row(from), batch.y.cols(), to.y.view().row(at));
      if (!to.weights.empty()) to.weights[at] = weight * (batch.weights.empty() ? 1 : batch.weights[from]);
    }
}

HeldBatch StreamMemory::rows(std::uint64_t begin, std::uint64_t end, std::size_t level) const {
  HeldBatch some = empty_like(batches_.front(), std::size_t(end - begin), level > 0);
  some.first = begin;
  append(some, begin, end, std::ldexp(1.0, -int(level)));
  return some;
}

HeldBatch StreamMemory::rows() const {
  HeldBatch all = empty_like(batches_.front(), std::size_t(end() - begin()), levels() > 1);
  all.first = begin();
  std::uint64_t until = end();
  for (std::size_t level = 0; level < levels(); ++level) {
    append(all, begins_[level], until, std::ldexp(1.0, -int(level)));
    until = begins_[level];
  }
  return all;
}

}  // namespace bochner
