// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/neighbors/read_points.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "base/require.h"
#include "methods/neighbors/raw_bytes.h"
#include "rows/byte_rows.h"
#include "rows/shifted.h"
#include "run/memory_plan.h"

namespace bochner {

namespace {

constexpr double kFar = 0x1p10;  // ranges from 0: floats keep half their digits
constexpr std::size_t kFewRows = 1024;
constexpr int kCoarse = 127;  // a range of bytes in which halves would be told apart as well

// Whole numbers from 0 to 255. False, and no bytes that count, where one is none.
bool take_bytes(const float* __restrict from, std::size_t count, std::uint8_t* __restrict to) {
  constexpr float kUnits = 0x1p23f;  // above it the last bits of a float count units: no comparison, which would branch
  std::uint32_t differ = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float value = from[i] + 0.0f;  // no -0
    const auto whole = std::uint8_t(std::bit_cast<std::uint32_t>(value + kUnits));
    to[i] = whole;
    differ |= std::bit_cast<std::uint32_t>(float(whole)) ^ std::bit_cast<std::uint32_t>(value);
  }
  return differ == 0;
}

// Files are checked as they are read; rows in memory and those of a caller's own reader are not. A distance that is not
// a number has no place among the others.
void check_finite(const RowBlock<float>& block) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  for (std::size_t i = 0; i < block.rows; ++i) {
    const std::size_t begin = block.sparse() ? block.offsets[i] : i * block.stride;
    const std::size_t count = block.sparse() ? block.offsets[i + 1] - begin : block.cols;
    bool bad = false;  // no early end, so that the loop has no branches
    for (std::size_t k = begin; k < begin + count; ++k) bad |= !(std::abs(block.values[k]) <= kLargest);
    if (!bad) continue;
    std::size_t k = begin;
    while (std::isfinite(block.values[k])) ++k;
    fail(Error::Kind::data,
         "row {}, column {}: found {}, expected a finite number; remove the row or fill the value in", block.first + i,
         block.sparse() ? block.columns[k] : k - begin, block.values[k]);
  }
}

// Rows in their places as they come: where their number is known, in a matrix of that size. bytes: as bytes as long as
// they are whole numbers from 0 to 255.
class Filling {
 public:
  Filling(std::size_t inputs, std::optional<std::size_t> rows, double limit, bool bytes)
      : inputs_(inputs), as_bytes_(bytes), expected_(rows), limit_(limit) {
    if (as_bytes_ && rows && fits(1)) bytes_.reserve(*rows * inputs);
    if (!as_bytes_) start_floats();
  }
  void add(const RowBlock<float>& block) {
    check_finite(block);
    if (as_bytes_) {
      if (add_bytes(block)) return;
      leave_bytes();
    }
    add_floats(block);
  }
  std::size_t numbers() const { return bytes_.size() + filled_ * inputs_ + more_.size(); }
  DenseRows rows(Threads& threads) {
    if (as_bytes_ && byte_ranges(threads, bytes_.data(), count(), inputs_).widest() > kCoarse)
      return of_bytes(std::move(bytes_), inputs_);
    if (as_bytes_) leave_bytes();
    return matrix();
  }

 private:
  bool fits(std::size_t size) const { return double(*expected_) * double(inputs_) * double(size) < limit_; }
  std::size_t count() const { return inputs_ ? numbers() / inputs_ : 0; }
  void start_floats() {
    if (expected_ && fits(sizeof(float))) known_ = Matrix<float>(*expected_, inputs_);
  }
  bool add_bytes(const RowBlock<float>& block) {
    const std::size_t before = bytes_.size();
    bytes_.resize(before + block.rows * inputs_);
    for (std::size_t i = 0; i < block.rows; ++i)
      if (!take_bytes(block.values + i * block.stride, inputs_, bytes_.data() + before + i * inputs_)) {
        bytes_.resize(before);
        return false;
      }
    return true;
  }
  void leave_bytes() {
    const AlignedVector<std::uint8_t> bytes = std::move(bytes_);
    bytes_.clear();
    as_bytes_ = false;
    start_floats();
    std::vector<float> row(inputs_);
    for (std::size_t i = 0; inputs_ > 0 && i < bytes.size() / inputs_; ++i) {
      std::copy_n(bytes.data() + i * inputs_, inputs_, row.data());
      add_floats(RowBlock<float>::dense({row.data(), 1, inputs_, inputs_}));
    }
  }
  void add_floats(const RowBlock<float>& block) {
    if (!more_.empty() || filled_ + block.rows > known_.rows()) {
      for (std::size_t i = 0; i < block.rows; ++i)
        more_.insert(more_.end(), block.values + i * block.stride, block.values + i * block.stride + block.cols);
      return;
    }
    for (std::size_t i = 0; i < block.rows; ++i)
      std::copy_n(block.values + i * block.stride, inputs_, known_.data() + (filled_ + i) * inputs_);
    filled_ += block.rows;
  }
  Matrix<float> matrix() {
    if (filled_ == known_.rows() && more_.empty()) return std::move(known_);
    Matrix<float> all(count(), inputs_);
    std::copy_n(known_.data(), filled_ * inputs_, all.data());
    std::copy(more_.begin(), more_.end(), all.data() + filled_ * inputs_);
    return all;
  }

  std::size_t inputs_, filled_ = 0;
  bool as_bytes_;
  std::optional<std::size_t> expected_;
  double limit_;
  AlignedVector<std::uint8_t> bytes_;
  Matrix<float> known_;
  std::vector<float> more_;
};

std::optional<DenseRows> read_bytes(Threads& threads, const Rows& rows, double limit) {
  const ByteRows* file = bytes_of(rows);
  const std::size_t count = rows.size().value_or(0), inputs = rows.schema().inputs;
  if (!file || double(count) * double(inputs) >= limit) return std::nullopt;
  const std::shared_ptr<std::uint8_t[]> bytes = raw_bytes(count * inputs);
  file->read_bytes(threads, bytes.get());
  const auto coarse = [&](std::size_t rows) {
    return byte_ranges(threads, bytes.get(), rows, inputs).widest() <= kCoarse;
  };
  if (coarse(std::min(count, kFewRows)) && coarse(count)) return std::nullopt;  // the first mostly tell
  return of_bytes(bytes, count, inputs);
}

}  // namespace

Rows& without_far_offsets(Rows& rows, Metric metric, std::unique_ptr<Rows>& owner) {
  if (metric != Metric::euclidean || rows.schema().sparse || !rows.schema().offsets.empty() || bytes_of(rows))
    return rows;
  rows.rewind();
  RowBlock<double> block;
  if (!rows.next(kChunkRows, block)) return rows;
  std::vector<double> offsets(block.cols);
  bool any = false;
  for (std::size_t j = 0; j < block.cols; ++j) {
    double low = block.values[j], high = low;
    for (std::size_t i = 1; i < block.rows; ++i) {
      low = std::min(low, block.values[i * block.stride + j]);
      high = std::max(high, block.values[i * block.stride + j]);
    }
    if (std::min(std::abs(low), std::abs(high)) <= kFar * (high - low) || low == high) continue;
    offsets[j] = low;
    any = true;
  }
  return any ? with_offsets(rows, offsets, owner) : rows;
}

void append_block(const RowBlock<float>& block, Points& points, std::vector<float>& dense) {
  check_finite(block);
  if (!block.sparse()) {
    for (std::size_t i = 0; i < block.rows; ++i)
      dense.insert(dense.end(), block.values + i * block.stride, block.values + i * block.stride + block.cols);
    return;
  }
  const std::size_t from = block.offsets[0];
  for (std::size_t i = 0; i < block.rows; ++i)
    points.offsets.push_back(points.values.size() + block.offsets[i + 1] - from);
  points.columns.insert(points.columns.end(), block.columns + from, block.columns + block.offsets[block.rows]);
  points.values.insert(points.values.end(), block.values + from, block.values + block.offsets[block.rows]);
}

Matrix<float> as_matrix(const std::vector<float>& dense, std::size_t inputs) {
  Matrix<float> matrix(dense.size() / std::max<std::size_t>(inputs, 1), inputs);
  std::copy(dense.begin(), dense.end(), matrix.data());
  return matrix;
}

Points read_points(Rows& rows, const Execution& execution, bool bytes) {
  Points points;
  points.sparse = rows.schema().sparse;
  points.inputs = rows.schema().inputs;
  const double limit = double(memory_limit(execution));
  Threads threads(bytes ? execution.threads : 1);
  threads.stop_when(execution.cancel);
  if (bytes)
    if (std::optional<DenseRows> known = read_bytes(threads, rows, limit / 2)) {
      points.dense = std::move(*known);
      return points;
    }
  std::vector<float> none;
  Filling dense(points.inputs, points.sparse ? std::nullopt : rows.size(), limit / 2, bytes && !points.sparse);
  if (points.sparse) points.offsets.push_back(0);
  RowBlock<float> block;
  rows.rewind();
  while (rows.next(4 * kChunkRows, block)) {
    if (execution.cancel && execution.cancel()) throw Stopped();
    if (execution.progress) execution.progress("reading", rows.fraction_read());
    if (points.sparse)
      append_block(block, points, none);
    else
      dense.add(block);
    const double held = double(dense.numbers() + points.values.size()) * 8;
    require(held < limit,
            "neighbours: the rows take more than the {} of memory that may be held; raise it, take fewer inputs by a "
            "projection first, or compare every pair, which reads the rows in blocks: method exact of a graph, or "
            "streamed_neighbors",
            size_text(limit));
  }
  if (!points.sparse) points.dense = dense.rows(threads);
  if (points.size() >= kNoPoint)
    fail(Error::Kind::data, "neighbours: {} rows, expected fewer than 2^32", points.size());
  return points;
}

}  // namespace bochner
