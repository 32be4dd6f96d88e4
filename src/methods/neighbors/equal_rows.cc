// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/neighbors/equal_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

#include "base/hash64.h"
#include "base/require.h"

namespace bochner {

namespace {

// 128 bits stand for a row: among 2^32 rows two different ones meet by chance in fewer than one of 10^19 files.
struct RowHash {
  std::uint64_t low = 0, high = 0, row = 0;

  bool same(const RowHash& other) const { return low == other.low && high == other.high; }
  bool operator<(const RowHash& other) const {
    return std::tie(low, high, row) < std::tie(other.low, other.high, other.row);
  }
};

// Columns and bits of the numbers that are not 0, so that dense and CSR rows of the same numbers have the same words.
void append_words(const RowBlock<double>& block, std::size_t i, std::vector<std::uint64_t>& words) {
  const auto append = [&](std::uint64_t column, double value) {
    if (value == 0) return;
    words.push_back(column);
    words.push_back(std::isnan(value) ? ~std::uint64_t{0} : std::bit_cast<std::uint64_t>(value));
  };
  if (block.sparse())
    for (std::size_t p = block.offsets[i]; p < block.offsets[i + 1]; ++p) append(block.columns[p], block.values[p]);
  else
    for (std::size_t j = 0; j < block.cols; ++j) append(j, block.values[i * block.stride + j]);
}

std::vector<RowHash> hashes_of(Rows& rows, const DuplicateOptions& options) {
  constexpr std::size_t kHeld = 4 << 20;  // numbers of a block
  const std::size_t inputs = rows.schema().sparse ? 1 : std::max<std::size_t>(rows.schema().inputs, 1);
  const std::size_t count = std::clamp<std::size_t>(kHeld / inputs, 16, 16384);
  std::vector<RowHash> hashes;
  std::vector<std::uint64_t> words;
  RowBlock<double> block;
  rows.rewind();
  if (options.cells) options.cells->lines.clear();
  while (rows.next(count, block)) {
    if (options.execution.cancel && options.execution.cancel()) throw Stopped();
    if (options.execution.progress) options.execution.progress("reading", rows.fraction_read());
    for (std::size_t i = 0; i < block.rows; ++i) {
      words.assign(1, 0);
      if (options.cells) {
        words.push_back(hash64(std::as_bytes(std::span(options.cells->lines.front()))));
        options.cells->lines.pop_front();
      }
      append_words(block, i, words);
      RowHash hash{.row = hashes.size()};
      hash.low = hash64(std::as_bytes(std::span(words)));
      words[0] = hash.low;
      hash.high = hash64(std::as_bytes(std::span(words)));
      hashes.push_back(hash);
    }
  }
  return hashes;
}

}  // namespace

std::vector<Duplicate> equal_rows(Rows& rows, const DuplicateOptions& options) {
  std::vector<RowHash> hashes = hashes_of(rows, options);
  std::sort(hashes.begin(), hashes.end());
  std::vector<Duplicate> found;
  for (std::size_t begin = 0, end = 0; begin < hashes.size(); begin = end) {
    for (end = begin + 1; end < hashes.size() && hashes[end].same(hashes[begin]);) ++end;
    for (std::size_t i = begin + 1; i < end; ++i)
      for (std::size_t j = begin; j < (options.pairs ? i : begin + 1); ++j)
        found.push_back({hashes[i].row, hashes[j].row, 1});
  }
  return found;
}

}  // namespace bochner
