// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/require.h"
#include "bochner/rows.h"

namespace bochner {

// The sequences of a rank's rows, in the order in which these come.
struct RankSequences {
  std::vector<std::size_t> starts = {};                      // where they begin among this rank's rows
  std::vector<std::uint64_t> names = {};                     // hashes; 0: no name
  std::vector<std::uint64_t> partitions = {}, numbers = {};  // where each lies, and its number there from 0
};

// Rows of several ranks, which lie in partitions.
class PartitionedRows : public Rows {
 public:
  // The number of a partition's first row; of no partition: that behind the last row.
  virtual std::uint64_t first_row_of(std::size_t partition) const = 0;
  // std::invalid_argument where a partition does not tell its sequences. Reads them.
  virtual RankSequences sequences() const = 0;
};

// std::invalid_argument for rows of one process.
inline const PartitionedRows& partitioned_rows(const Rows& rows) {
  const auto* const found = dynamic_cast<const PartitionedRows*>(&rows);
  require(found, "ranks: found rows of the caller's own, expected those of rounds");
  return *found;
}

}  // namespace bochner
