// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <optional>
#include <string>

#include "run/checkpoint.h"

namespace bochner {

// Where an iteration stands between two rounds, for a run that may be stopped: keep() gets it after every round, take()
// gives what an earlier run kept. Null: nothing is kept.
struct StateKeeper {
  std::function<std::optional<Archive>()> take = {};
  std::function<void(Archive)> keep = {};
};

// The keeper of one step of a checkpoint; keeps nothing if checkpoint is null.
inline StateKeeper keeper_of(Checkpoint* checkpoint, const std::string& step) {
  if (!checkpoint) return {};
  return {.take =
              [checkpoint, step] {
                auto saved = checkpoint->take(step);
                if (saved) checkpoint->keep(step, *saved);  // also for a run that is stopped before the next round
                return saved;
              },
          .keep = [checkpoint, step](Archive state) { checkpoint->keep(step, std::move(state)); }};
}

}  // namespace bochner
