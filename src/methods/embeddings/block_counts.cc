// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/embeddings/block_counts.h"

#include <algorithm>

#include "base/require.h"

namespace bochner {

namespace {

// The number of edges not above x, without branches that depend on x.
std::size_t bin_of(const std::vector<float>& edges, float x) {
  const float* base = edges.data();
  std::size_t left = edges.size();
  while (left > 0) {
    const std::size_t half = (left + 1) / 2;
    base += base[half - 1] <= x ? half : 0;
    left -= half;
  }
  return std::size_t(base - edges.data());
}

float value_of(const RowBlock<float>& rows, std::size_t i, std::size_t input) {
  if (!rows.sparse()) return rows.values[i * rows.stride + input];
  const std::uint32_t* const begin = rows.columns + rows.offsets[i];
  const std::uint32_t* const end = rows.columns + rows.offsets[i + 1];
  const std::uint32_t* const at = std::lower_bound(begin, end, std::uint32_t(input));
  return at != end && *at == input ? rows.values[at - rows.columns] : 0.0f;
}

}  // namespace

BlockCounts::BlockCounts(std::shared_ptr<const RowBlocks> blocks, std::shared_ptr<const ColumnBins> bins)
    : blocks_(std::move(blocks)),
      bins_(std::move(bins)),
      counts_(blocks_->blocks(), bins_->width),
      rest_(bins_->width) {}

void BlockCounts::add_column(const RowBlock<float>& rows, const ColumnBins::Column& column,
                             const std::vector<std::uint32_t>& blocks) {
  for (std::size_t i = 0; i < rows.rows; ++i) {
    std::size_t bin = column.inputs;  // no level
    if (column.levels) {
      for (std::size_t l = 0; l < column.inputs; ++l)
        if (value_of(rows, i, column.input + l) != 0) {
          bin = l;
          break;
        }
    } else if (column.marked && value_of(rows, i, column.input + 1) != 0) {
      bin = column.numbers();
    } else {
      bin = bin_of(column.edges, value_of(rows, i, column.input));
    }
    count(blocks[i], column.first + bin);
  }
}

void BlockCounts::add(const Workers& on, const RowBlock<float>& rows) {
  std::vector<std::uint32_t> blocks(rows.rows);
  for (std::size_t i = 0; i < rows.rows; ++i) blocks[i] = blocks_->of(rows.first + i).block;
  on.threads.run(bins_->columns.size(), [&](std::size_t c, int) { add_column(rows, bins_->columns[c], blocks); });
}

void BlockCounts::merge(const BlockCounts& other) {
  require(counts_.rows() == other.counts_.rows() && counts_.cols() == other.counts_.cols(),
          "block counts: parts of {} x {} counts, expected {} x {}", other.counts_.rows(), other.counts_.cols(),
          counts_.rows(), counts_.cols());
  for (std::size_t i = 0; i < counts_.rows() * counts_.cols(); ++i) counts_.data()[i] += other.counts_.data()[i];
  for (std::size_t j = 0; j < rest_.size(); ++j) rest_[j] += other.rest_[j];
}

void BlockCounts::save(Archive& archive) const {
  std::vector<std::int64_t> wide(counts_.data(), counts_.data() + counts_.rows() * counts_.cols());
  archive.put<std::int64_t>("counts", wide, {counts_.rows(), counts_.cols()});
  archive.put<std::int64_t>("rest", rest_, {rest_.size()});
}

void BlockCounts::load(const Archive& archive) {
  const auto wide = archive.get<std::int64_t>("counts", {counts_.rows(), counts_.cols()});
  std::copy(wide.begin(), wide.end(), counts_.data());
  rest_ = archive.get<std::int64_t>("rest", {rest_.size()});
}

}  // namespace bochner
