// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backend/workers.h"
#include "bochner/archive.h"
#include "bochner/fold.h"
#include "bochner/matrix.h"
#include "methods/embeddings/row_blocks.h"

namespace bochner {

// Where the values of each column of rows are counted: numbers between edges, with one bin more for missing cells if
// the input behind them marks those; texts by level (one input each), with one bin more for those that are no level.
struct ColumnBins {
  struct Column {
    std::size_t input = 0, inputs = 1;  // the first of its inputs
    bool levels = false;
    bool marked = false;            // numbers: the second input is not 0 if the cell is missing
    std::vector<float> edges = {};  // ascending; bin k holds edges[k-1] <= x < edges[k]
    std::size_t first = 0;          // the number of its first bin
    std::size_t numbers() const { return edges.size() + 1; }  // bins between edges
    std::size_t bins() const { return levels ? inputs + 1 : numbers() + (marked ? 1 : 0); }
  };

  std::vector<Column> columns = {};
  std::size_t width = 0;  // bins of all columns

  void add(Column column) {
    column.first = width;
    width += column.bins();
    columns.push_back(std::move(column));
  }
};

// How many rows of each block, and of none, fall into each bin.
class BlockCounts {
 public:
  BlockCounts(std::shared_ptr<const RowBlocks> blocks, std::shared_ptr<const ColumnBins> bins);

  void add(const Workers& on, const RowBlock<float>& rows);  // dense or CSR
  void merge(const BlockCounts& other);
  void save(Archive& archive) const;
  void load(const Archive& archive);
  bool operator==(const BlockCounts& other) const { return counts_ == other.counts_ && rest_ == other.rest_; }

  const Matrix<std::int32_t>& counts() const { return counts_; }  // blocks x bins
  const std::vector<std::int64_t>& rest() const { return rest_; }

 private:
  void count(std::uint32_t block, std::size_t bin) {
    if (block == RowBlocks::kNone)
      ++rest_[bin];
    else
      ++counts_(block, bin);
  }
  void add_column(const RowBlock<float>& rows, const ColumnBins::Column& column,
                  const std::vector<std::uint32_t>& blocks);

  std::shared_ptr<const RowBlocks> blocks_;
  std::shared_ptr<const ColumnBins> bins_;
  Matrix<std::int32_t> counts_;
  std::vector<std::int64_t> rest_;
};

}  // namespace bochner
