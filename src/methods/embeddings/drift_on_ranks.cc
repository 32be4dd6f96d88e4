// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>

#include "base/require.h"
#include "bochner/drift.h"
#include "methods/embeddings/joint_rows.h"
#include "model/gathered_rows.h"
#include "model/mapped_rows.h"
#include "rows/partitioned_rows.h"
#include "rows/shifted.h"

namespace bochner {

Drift drift_of_partitions(Rows& rows, std::size_t reference, const DriftOptions& options) {
  require(options.execution.ranks, "drift: found rows of one process, expected those of rounds");
  const std::uint64_t first_new = partitioned_rows(rows).first_row_of(reference);
  const auto each = [&](const VisitRows& visit) {
    RowBlock<double> block;
    for (rows.rewind(); rows.next(kChunkRows, block);) {
      const std::vector<double> is_new(block.rows, block.first >= first_new ? 1 : 0);
      block.targets = is_new.data();
      block.target_count = 1;
      block.weights = nullptr;
      visit(block);
    }
  };
  const Schema schema = without_targets(rows.schema());
  const RowBuffer<double> all = gathered_blocks(each, {schema.inputs, 1, schema.sparse}, gathered_share(rows),
                                                options.seed, *options.execution.ranks);
  // Partitions follow each other, and so the reference comes first.
  const auto before = std::size_t(std::count(all.targets.begin(), all.targets.end(), 0.0));
  DriftOptions own = options;
  own.execution.ranks = nullptr;
  std::unique_ptr<Rows> rows_of[2], shifted[2];
  const auto part = [&](std::size_t side, std::size_t begin, std::size_t count) -> Rows& {
    RowBlock<double> block = all.view(begin, count, 0);
    block.targets = nullptr;
    block.target_count = 0;
    rows_of[side] = memory_rows(block, schema);
    return with_offsets(*rows_of[side], offsets_of(schema), shifted[side]);
  };
  Rows& reference_rows = part(0, 0, before);
  Drift found = drift(reference_rows, part(1, before, all.rows - before), own);
  if (all.rows < rows.counts().rows)
    found.notes.push_back(fmt::format("drawn: {} of {} rows", all.rows, rows.counts().rows));
  return found;
}

}  // namespace bochner
