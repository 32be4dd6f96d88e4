// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/aligned.h"
#include "base/threads.h"
#include "bochner/row_block.h"
#include "bochner/rows.h"

namespace bochner {

// Rows in memory, dense or CSR, that grow at the back and are taken from the front.
template <class T>
struct RowBuffer {
  std::size_t cols = 0;
  std::size_t target_count = 0;
  bool sparse = false;
  bool weighted = false;

  std::size_t rows = 0;
  AlignedVector<T> values;               // dense: rows x cols
  std::vector<std::size_t> offsets{0};   // sparse
  AlignedVector<std::uint32_t> columns;  // sparse
  std::vector<double> targets;           // rows x target_count
  std::vector<double> weights;
  std::vector<std::string> kept;  // cells carried along, a line for each row; only in the parts of a text file
  CellCounts counts;              // cells parsed into this buffer

  // A cell of row `rows`, which is being parsed, that is no level of its column.
  void note_unknown(const std::string& name, std::string_view text) {
    if (last_unknown == rows) return;
    last_unknown = rows;
    if (counts.unknown_rows++ == 0) counts.unknown = name + "=" + std::string(text);
  }
  std::size_t last_unknown = ~std::size_t{0};

  void clear() {
    counts = {};
    last_unknown = ~std::size_t{0};
    rows = 0;
    values.clear();
    offsets.assign(1, 0);
    columns.clear();
    targets.clear();
    weights.clear();
    kept.clear();
  }

  void append(const RowBuffer& other) {
    if (sparse) {
      const std::size_t base = values.size();
      for (std::size_t i = 1; i <= other.rows; ++i) offsets.push_back(base + other.offsets[i]);
      columns.insert(columns.end(), other.columns.begin(), other.columns.end());
    }
    values.insert(values.end(), other.values.begin(), other.values.end());
    targets.insert(targets.end(), other.targets.begin(), other.targets.end());
    weights.insert(weights.end(), other.weights.begin(), other.weights.end());
    rows += other.rows;
  }

  // The parts one behind the other, copied by all threads where they are dense.
  void append(std::span<const RowBuffer> parts, Threads& threads) {
    if (sparse || parts.size() < 2) {
      for (const RowBuffer& part : parts) append(part);
      return;
    }
    std::vector<std::size_t> begin{values.size()};
    for (const RowBuffer& part : parts) begin.push_back(begin.back() + part.values.size());
    values.resize(begin.back());
    threads.run(parts.size(), [&](std::size_t i, int) {
      std::copy(parts[i].values.begin(), parts[i].values.end(), values.begin() + std::ptrdiff_t(begin[i]));
    });
    for (const RowBuffer& part : parts) {
      targets.insert(targets.end(), part.targets.begin(), part.targets.end());
      weights.insert(weights.end(), part.weights.begin(), part.weights.end());
      rows += part.rows;
    }
  }

  void append(const RowBlock<T>& block) {
    if (sparse) {
      const std::size_t base = values.size() - block.offsets[0];
      for (std::size_t i = 1; i <= block.rows; ++i) offsets.push_back(base + block.offsets[i]);
      columns.insert(columns.end(), block.columns + block.offsets[0], block.columns + block.offsets[block.rows]);
      values.insert(values.end(), block.values + block.offsets[0], block.values + block.offsets[block.rows]);
    } else if (block.stride == cols) {
      values.insert(values.end(), block.values, block.values + block.rows * cols);
    } else {
      for (std::size_t i = 0; i < block.rows; ++i)
        values.insert(values.end(), block.values + i * block.stride, block.values + i * block.stride + cols);
    }
    if (target_count) targets.insert(targets.end(), block.targets, block.targets + block.rows * target_count);
    if (weighted) weights.insert(weights.end(), block.weights, block.weights + block.rows);
    rows += block.rows;
  }

  void drop_front(std::size_t count) {
    if (count == 0) return;
    if (count == rows) return clear();
    const std::size_t gone = sparse ? offsets[count] : count * cols;
    if (sparse) {
      offsets.erase(offsets.begin(), offsets.begin() + std::ptrdiff_t(count));
      for (std::size_t& offset : offsets) offset -= gone;
      columns.erase(columns.begin(), columns.begin() + std::ptrdiff_t(gone));
    }
    values.erase(values.begin(), values.begin() + std::ptrdiff_t(gone));
    targets.erase(targets.begin(), targets.begin() + std::ptrdiff_t(count * target_count));
    if (weighted) weights.erase(weights.begin(), weights.begin() + std::ptrdiff_t(count));
    rows -= count;
  }

  // Rows begin .. begin + count as a block whose first row has the given global number.
  RowBlock<T> view(std::size_t begin, std::size_t count, std::size_t first) const {
    RowBlock<T> block;
    block.first = first;
    block.rows = count;
    block.cols = cols;
    block.values = values.data() + (sparse ? 0 : begin * cols);
    block.stride = sparse ? 0 : cols;
    block.offsets = sparse ? offsets.data() + begin : nullptr;
    block.columns = sparse ? columns.data() : nullptr;
    block.targets = target_count ? targets.data() + begin * target_count : nullptr;
    block.target_count = target_count;
    block.weights = weighted ? weights.data() + begin : nullptr;
    return block;
  }
};

}  // namespace bochner
