// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   Execution execution;
//   const auto checkpoint = open_checkpoint({.path = "cars.checkpoint", .resume = true});
//   execution.checkpoint = checkpoint.get();
//   const auto rows = open_rows("cars.csv", {.target_required = false});
//   const Model model = svd(*rows, {.rank = 3, .execution = execution});

#include <functional>
#include <memory>
#include <string>

#include "bochner/checkpoint.h"
#include "bochner/execution.h"

namespace bochner {

// A checkpoint for work that takes it by its Execution: svd() and mixture(). It serves one call, and every word that
// may change the result belongs to its identity. The files stay: remove them once the result is kept. say: what it
// tells in a line, such as a save that failed.
std::shared_ptr<Checkpoint> open_checkpoint(const CheckpointOptions& options,
                                            std::function<void(const std::string&)> say = {});

// Error::Kind::model where files lie that are to be resumed from and are no checkpoint, or one that is damaged.
void check_resumable(const std::string& path);

}  // namespace bochner
