// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <optional>
#include <utility>

#include "base/require.h"
#include "bochner/watch.h"
#include "methods/online/stream_memory.h"
#include "rows/pipe.h"
#include "rows/time_cells.h"

namespace bochner {

namespace {

template <class AnyModel>
void watch_all(AnyModel& model, Rows& stream, const WatchOptions& options,
               const std::function<void(const Watched&)>& tell, KeptCells* cells) {
  require(options.every > 0, "watch: every is 0, expected 1 row or more");
  const bool in_days = options.window.days > 0 || options.half_life.days > 0;
  require(!in_days || cells, "watch: found days and no times of rows, expected a column of times");
  WatchOptions working = options;
  const CancelFunction ends = std::exchange(working.execution.cancel, {});
  Watch watching(model, std::move(working));
  const Schema schema = stream.schema();
  std::optional<TimeCells> column;
  if (cells) column.emplace(*cells, schema);
  stream.rewind();
  RowBlock<double> block;
  std::vector<double> times;
  while (!(ends && ends()) && stream.next(options.every, block)) {
    times.clear();
    for (std::size_t i = 0; column && i < block.rows; ++i) times.push_back(column->next(block.first + i));
    tell(watching.see(*rows_as_read(block, schema), times));
  }
  watching.settle();
}

}  // namespace

std::unique_ptr<Rows> open_live_rows(const std::string& path, const Schema& schema, const RowsOptions& options,
                                     std::function<bool()> until) {
  if (!until) until = [] { return false; };
  const LivePipes live(std::move(until));
  return open_rows(path, schema, options);
}

void watch(OnlineModel& model, Rows& stream, const WatchOptions& options,
           const std::function<void(const Watched&)>& tell, KeptCells* times) {
  watch_all(model, stream, options, tell, times);
}

void watch(Model& model, Rows& stream, const WatchOptions& options, const std::function<void(const Watched&)>& tell,
           KeptCells* times) {
  watch_all(model, stream, options, tell, times);
}

}  // namespace bochner
