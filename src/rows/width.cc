// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/width.h"

#include <algorithm>

#include "base/memory.h"
#include "base/option.h"
#include "base/require.h"

namespace bochner {

namespace {
constexpr std::size_t kRowShare = 16, kDecompressionShare = 4, kLongestRow = std::size_t{1} << 30;
}

std::size_t reading_memory(const RowsOptions& options) { return options.memory ? options.memory : default_memory(); }

ChunkSizes bounded(ChunkSizes sizes, const RowsOptions& options) {
  const std::size_t memory = reading_memory(options);
  sizes.longest_row = std::min({sizes.longest_row, kLongestRow, std::max(memory / kRowShare, sizes.chunk)});
  sizes.decompression = memory / kDecompressionShare;
  return sizes;
}

bool too_wide(std::size_t columns, std::size_t column_bytes, std::size_t memory) {
  return columns > memory / column_bytes;
}

void check_width(const std::string& place, std::size_t columns, std::size_t column_bytes, const RowsOptions& options) {
  const std::size_t memory = reading_memory(options);
  if (too_wide(columns, column_bytes, memory))
    fail(Error::Kind::data,
         "{0}: {1} columns need {2} at least, {4} allows {3}; is this the right file? otherwise raise {4}", place,
         columns, memory_text(columns > (~std::size_t{0}) / column_bytes ? ~std::size_t{0} : columns * column_bytes),
         memory_text(memory), Option::memory);
}

std::string memory_text(std::size_t bytes) {
  const double mega = double(bytes) / (1 << 20);
  return mega < 1024 ? fmt::format("{:.0f}M", mega) : fmt::format("{:.1f}G", mega / 1024);
}

}  // namespace bochner
