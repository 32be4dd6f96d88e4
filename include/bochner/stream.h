// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto rows = open_rows("train.csv", {.targets = {"y"}});
//   const MapPtr map = fourier(rows->schema().inputs, {.kernel = gaussian(2.0), .features = 64});
//   double largest = 0;
//   each(*rows, map, [&](const RowBlock<float>& z) { largest = std::max(largest, double(z.values[0])); });

#include <functional>
#include <string>
#include <utility>

#include "bochner/archive.h"
#include "bochner/execution.h"
#include "bochner/fold.h"
#include "bochner/map.h"
#include "bochner/rows.h"

// One pass over rows, opened (bochner/rows.h) or an own class of them, through a map:
//
//   const auto rows = open_rows("train.csv", {.targets = {"y"}});
//   const MapPtr map = fourier(rows->schema().inputs, {.kernel = gaussian(2.0), .features = 64});
//   const Mean mean = fold(*rows, map, Mean{0, std::vector<double>(64)});  // Mean: see bochner/fold.h
//   const auto half = rows->shard(0, 2);                                   // parts merge
//
// fold<double>(...) and each<double>(...) read and map in double. Without a map (nullptr) rows come as they are, CSR
// where they are sparse; mapped rows are dense. One pass of a source at a time: two threads may not share a Rows, and
// may share a map. Misuse throws std::invalid_argument, broken rows Error, a cancelled pass Stopped.
namespace bochner {

namespace detail {

// What one pass does. save and load: the state, where the execution has a checkpoint.
template <class T>
struct PassSteps {
  std::function<void(const RowBlock<T>& block, const RunPieces& run)> visit;
  std::function<void(Archive& archive)> save = {};
  std::function<void(const Archive& archive)> load = {};
};

template <class T>
void pass(Rows& rows, const MapPtr& map, const PassSteps<T>& steps, const Execution& execution,
          const std::string& step);

}  // namespace detail

// The sum of all rows. `empty` has seen none. Its add() runs on execution.threads threads, on a copy each; merge(),
// save() and load() on the calling thread. step: its name for progress and checkpoint.
template <class T = float, class F>
requires Fold<F, T> F fold(Rows& rows, const MapPtr& map, F empty, const Execution& execution = {},
                           const std::string& step = "fold") {
  F sum = empty;
  detail::PassSteps<T> steps;
  steps.visit = [&](const RowBlock<T>& block, const RunPieces& run) { add_by_chunks(sum, empty, block, run); };
  steps.save = [&](Archive& archive) { sum.save(archive); };
  steps.load = [&](const Archive& archive) { sum.load(archive); };
  detail::pass(rows, map, steps, execution, step);
  return sum;
}

// visit(block) for every block of mapped rows in order, on the calling thread: for what is no sum. A block is valid
// during the call only.
template <class T = float, class Visit>
requires std::invocable < Visit&, const RowBlock<T>
& > void each(Rows& rows, const MapPtr& map, Visit&& visit, const Execution& execution = {},
              const std::string& step = "each") {
  detail::PassSteps<T> steps;
  steps.visit = [&](const RowBlock<T>& block, const RunPieces&) { visit(block); };
  detail::pass(rows, map, steps, execution, step);
}

}  // namespace bochner
