// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "run/stream.h"

#include <algorithm>

#include "base/aligned.h"
#include "base/archive.h"
#include "base/require.h"
#include "bochner/stream.h"
#include "bochner/transform.h"
#include "maps/map_rows.h"
#include "run/checkpoint.h"

namespace bochner {

namespace {
constexpr std::size_t kMappedBytes = 64 << 20;  // a block of mapped rows: above the last cache, far below the memory
constexpr std::size_t kMappedShare = 16;        // a block takes at most 1/16 of the memory
constexpr std::size_t kMostBlockRows = 16 * kChunkRows;
}  // namespace

std::size_t mapped_bytes(std::size_t memory) {
  return memory ? std::min(kMappedBytes, memory / kMappedShare) : kMappedBytes;
}

Stream::Stream(Rows& rows, MapPtr map, Threads& threads, const Execution& execution, Precision precision)
    : rows_(rows), map_(std::move(map)), threads_(threads), execution_(execution), precision_(precision) {
  require(!map_ || map_->inputs() == rows_.schema().inputs, "stream: the map takes {} inputs, the rows have {}",
          map_ ? map_->inputs() : 0, rows_.schema().inputs);
}

std::size_t Stream::features() const { return map_ ? map_->outputs() : rows_.schema().inputs; }

Stream Stream::through(MapPtr next) const {
  return Stream(rows_, map_ ? chain({map_, std::move(next)}) : std::move(next), threads_, execution_, precision_);
}

std::size_t Stream::block_rows(std::size_t features, Precision precision, const Execution& execution) {
  if (execution.block_rows) return (execution.block_rows + kChunkRows - 1) / kChunkRows * kChunkRows;
  const std::size_t row_bytes = features * (precision == Precision::float32 ? sizeof(float) : sizeof(double));
  return std::clamp(mapped_bytes(execution.memory) / row_bytes / kChunkRows * kChunkRows, kChunkRows, kMostBlockRows);
}

void Stream::refuse_ranks(const std::string& step) const {
  require(!execution_.ranks || execution_.ranks->count() == 1,
          "ranks: the pass '{}' is no sum over rows, which alone is made by several ranks; train by ridge on fourier, "
          "nystroem or no features, or on one rank",
          step);
}

template <class T>
void Stream::pass(const std::string& step, const Visitor<T>& visit, std::size_t first_row) const {
  const std::size_t block_rows = this->block_rows();
  AlignedVector<T> mapped;
  RowBlock<T> block;
  rows_.rewind();
  if (execution_.progress) execution_.progress(step, 0);
  std::size_t row = rows_.first_row();
  if (row < first_row && rows_.seek(first_row)) row = first_row;
  while (row < first_row) {
    if (!rows_.next(std::min(block_rows, first_row - row), block)) return;
    threads_.check_stop();
    row += block.rows;
  }
  while (rows_.next(block_rows, block)) {
    threads_.check_stop();
    if (map_ && !leaves_unmapped_) {
      mapped.resize(block.rows * map_->outputs());
      const MatrixView<T> z{mapped.data(), block.rows, map_->outputs(), map_->outputs()};
      map_rows(workers(), *map_, block, z);
      block = block.with_values(z);
    }
    visit(block);
    if (execution_.progress) execution_.progress(step, rows_.fraction_read());
  }
}

// The state between two blocks: the sum, the row it goes on with, and whether that was the last.
template <class T>
void Stream::pass_saved(const std::string& step, const Saved& state, const Visitor<T>& visit) const {
  if (!execution_.checkpoint) return pass<T>(step, visit, 0);
  Checkpoint& checkpoint = *execution_.checkpoint;
  std::size_t row = 0;
  bool done = false;
  if (auto saved = checkpoint.take(step)) {
    row = get_count(saved->tree, "next_row", std::size_t(1) << 53);
    done = get_count(saved->tree, "done", 1) == 1;
    state.load(*saved);
  }
  const auto save = [&](Archive& archive) {
    state.save(archive);
    archive.tree["next_row"] = row;
    archive.tree["done"] = done ? 1 : 0;
  };
  const Visitor<T> visit_and_offer = [&](const RowBlock<T>& block) {
    {
      const Threads::Undivided whole(threads_);
      visit(block);
    }
    row = block.first + block.rows;
    checkpoint.offer(step, save);
  };
  if (!done) checkpoint.saved_when_stopped(step, save, [&] { pass<T>(step, visit_and_offer, row); });
  done = true;
  checkpoint.offer(step, save);
}

template void Stream::pass(const std::string&, const Visitor<float>&, std::size_t) const;
template void Stream::pass(const std::string&, const Visitor<double>&, std::size_t) const;
template void Stream::pass_saved(const std::string&, const Saved&, const Visitor<float>&) const;
template void Stream::pass_saved(const std::string&, const Saved&, const Visitor<double>&) const;

// The public pass: a stream with threads of its own.
template <class T>
void detail::pass(Rows& rows, const MapPtr& map, const PassSteps<T>& steps, const Execution& execution,
                  const std::string& step) {
  check_map_memory(map, execution);
  Threads threads(execution);
  const Stream stream(rows, map, threads, execution,
                      std::is_same_v<T, float> ? Precision::float32 : Precision::float64);
  const RunPieces run = [&](std::size_t pieces, const std::function<void(std::size_t)>& work) {
    threads.run(pieces, [&](std::size_t piece, int) { work(piece); });
  };
  const auto visit = [&](const auto& block) {
    if constexpr (std::is_same_v<decltype(block), const RowBlock<T>&>) steps.visit(block, run);
  };
  if (steps.save)
    stream.each_saved(step, {steps.save, steps.load}, visit);
  else
    stream.each(step, visit);
}

template void detail::pass(Rows&, const MapPtr&, const PassSteps<float>&, const Execution&, const std::string&);
template void detail::pass(Rows&, const MapPtr&, const PassSteps<double>&, const Execution&, const std::string&);

}  // namespace bochner
