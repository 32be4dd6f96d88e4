// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/require.h"
#include "bochner/rows.h"
#include "rows/row_buffer.h"

namespace bochner {

// Turns parsed rows, which come in amounts that suit the parser, into blocks of exactly the rows asked for.
class StreamedRows : public Rows {
 public:
  const Schema& schema() const override { return schema_; }
  bool next(std::size_t max_rows, RowBlock<float>& block) override { return serve(max_rows, block, float_); }
  bool next(std::size_t max_rows, RowBlock<double>& block) override { return serve(max_rows, block, double_); }
  std::optional<std::size_t> size() const override { return size_; }
  std::vector<std::string> notes() const override { return notes_; }
  void set_notes(std::vector<std::string> notes) { notes_ = std::move(notes); }
  std::size_t memory_bytes(std::size_t element_bytes) const override {
    if (!size_) return 0;
    const std::size_t per_row = sizeof(double) * (schema_.targets + (weighted_ ? 1 : 0));
    if (!schema_.sparse) return *size_ * (schema_.inputs * element_bytes + per_row);
    if (!nonzeros_) return 0;
    return *size_ * (per_row + sizeof(std::size_t)) + *nonzeros_ * (element_bytes + sizeof(std::uint32_t));
  }

  // An empty buffer for these rows, and all of them behind what it holds: what next() gives, with a copy less.
  template <class T>
  RowBuffer<T> empty_buffer() const {
    RowBuffer<T> buffer;
    buffer.cols = schema_.inputs;
    buffer.target_count = schema_.targets;
    buffer.sparse = schema_.sparse;
    buffer.weighted = weighted_;
    return buffer;
  }
  template <class T>
  void read_all(RowBuffer<T>& all) {
    rewind();
    while (fill(all)) {
    }
    rewind();
  }

  void rewind() final {
    restart();
    float_.clear();
    double_.clear();
    served_ = first_ = 0;
  }

 protected:
  // Appends some rows; false when there are no more.
  virtual bool fill(RowBuffer<float>& rows) = 0;
  virtual bool fill(RowBuffer<double>& rows) = 0;
  virtual void restart() = 0;

  // Call once the schema is set.
  void shape_buffers() {
    float_ = empty_buffer<float>();
    double_ = empty_buffer<double>();
  }

  void start_at(std::size_t row) { first_ = row; }  // after rewind(): the row that fill() appends first

  Schema schema_;
  bool weighted_ = false;
  std::optional<std::size_t> size_;
  std::optional<std::size_t> nonzeros_;
  std::vector<std::string> notes_;

 private:
  template <class T>
  bool serve(std::size_t max_rows, RowBlock<T>& block, RowBuffer<T>& buffer) {
    require(max_rows > 0, "rows: a block of 0 rows was asked for, expected at least 1");
    require((std::is_same_v<T, float> ? double_.rows : float_.rows) == 0,
            "rows: float and double blocks were mixed in one pass; call rewind() in between");
    // Rows go out of the buffer only once it runs short, so that small blocks do not shift it each time.
    while (buffer.rows - served_ < max_rows) {
      buffer.drop_front(served_);
      served_ = 0;
      if (!fill(buffer)) break;
    }
    const std::size_t count = std::min(max_rows, buffer.rows - served_);
    block = buffer.view(served_, count, first_);
    served_ += count;
    first_ += count;
    if (count == 0) size_ = first_;
    return count > 0;
  }

  RowBuffer<float> float_;
  RowBuffer<double> double_;
  std::size_t served_ = 0;  // rows of the buffer that have been given out
  std::size_t first_ = 0;   // global number of the next row
};

}  // namespace bochner
