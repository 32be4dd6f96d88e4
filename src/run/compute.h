// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>

#include "backend/workers.h"
#include "bochner/execution.h"
#include "bochner/fold.h"

namespace bochner {

// Pieces of blocks are the processor's; a device takes whole blocks (maps/map_rows.h).
inline Workers workers_on(Threads& threads) { return {cpu_backend(), threads}; }

// Adds blocks to an empty sum on all threads: the fold shares a block out, or its chunks are added to copies and
// merged.
template <class F>
class BlockAdder {
 public:
  explicit BlockAdder(F& empty) : sum_(empty) {
    if constexpr (!kShares) empty_.emplace(empty);
  }

  template <class T>
  requires Fold<F, T>
  void add(const Workers& on, const RowBlock<T>& block) {
    if constexpr (kShares)
      sum_.add(on, block);
    else
      add_by_chunks(sum_, *empty_, block, [&](std::size_t pieces, const std::function<void(std::size_t)>& work) {
        on.threads.run(pieces, [&](std::size_t piece, int) { work(piece); });
      });
  }

 private:
  static constexpr bool kShares = AddsWithWorkers<F, float>;
  F& sum_;
  std::optional<F> empty_;
};

}  // namespace bochner
