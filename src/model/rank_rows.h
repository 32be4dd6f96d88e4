// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "bochner/ranks.h"
#include "bochner/rounds.h"

namespace bochner {

// What a rank has of a number of partitions, which lie one behind the other: some of them, or a shard of each.
struct RankShare {
  std::size_t index = 0;  // the number of the partition
  Partition partition = {};
  std::size_t shard = 0, shards = 1;
};

struct OpenShare {
  std::unique_ptr<Rows> whole, shard;
  std::size_t index = 0, first = 0;  // the number of the partition's first row
  std::uint64_t rows = 0;            // that it has, and that were read in this pass
  std::uint64_t read = 0;

  Rows& of() const { return shard ? *shard : *whole; }
};

// The shares at hand, and their rows where they are open. They may change between two sums.
struct RankShares {
  std::vector<RankShare> shares = {};
  std::vector<OpenShare> open = {};
  bool may_be_read = true;  // now; rounds have rows while they make a sum
};

// The rows of a rank's shares by a schema that all ranks have found together.
std::unique_ptr<Rows> rows_on_ranks(std::size_t partitions, std::shared_ptr<RankShares> shares, Ranks& ranks,
                                    const Execution& execution);

}  // namespace bochner
