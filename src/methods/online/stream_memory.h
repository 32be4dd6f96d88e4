// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "bochner/rows.h"
#include "bochner/watch.h"

namespace bochner {

// Rows as a reader by this schema gave them: they have lost its offsets already. A view.
std::unique_ptr<Rows> rows_as_read(const RowBlock<double>& rows, const Schema& schema);

// Rows with their targets, weights and times, in memory that is theirs.
struct HeldBatch {
  Matrix<double> x, y;
  std::vector<double> weights, times;         // empty: all weigh 1; no times
  std::uint64_t first = 0;                    // number of the first row in the stream
  std::shared_ptr<const Schema> schema = {};  // that they were read by

  // All rows of a source, from where it stands.
  static HeldBatch of(Rows& rows, std::span<const double> times, std::uint64_t first);
  std::uint64_t end() const { return first + x.rows(); }
  std::unique_ptr<Rows> read() const;  // a view
};

// The newest rows of a stream by their ages: those of level k weigh 2^-k, and rows older than the last level leave.
class StreamMemory {
 public:
  StreamMemory(Extent span, std::size_t levels) : span_(span), begins_(levels, 0) {}

  void add(HeldBatch batch);
  // Moves rows to the levels of their ages. change(rows, from): rows of level `from` go to the next, or leave if it is
  // the last.
  void age(const std::function<void(const HeldBatch& rows, std::size_t from)>& change);
  void drop_before(std::uint64_t row);  // rows leave without a word

  std::size_t levels() const { return begins_.size(); }
  std::uint64_t begin() const { return begins_.back(); }  // the oldest row that is here
  std::uint64_t end() const { return batches_.empty() ? 0 : batches_.back().end(); }
  bool full() const { return span_.rows > 0 ? end() >= span_.rows : begins_.front() > 0; }
  HeldBatch rows() const;  // all that are here, with the weights of their levels
  // These rows with their weights times 2^-level.
  HeldBatch rows(std::uint64_t begin, std::uint64_t end, std::size_t level) const;

 private:
  std::uint64_t begin_of(std::size_t level) const;  // where the level begins by the ages of now
  void append(HeldBatch& to, std::uint64_t begin, std::uint64_t end, double weight) const;

  Extent span_;
  std::deque<HeldBatch> batches_;
  std::vector<std::uint64_t> begins_;  // first row of each level, youngest level first
};

}  // namespace bochner
