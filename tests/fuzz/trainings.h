// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "bochner/train.h"

namespace bochner::fuzzing {

// Small trainings that between them save every kind of checkpoint.
inline constexpr std::size_t kTrainings = 8;
TrainOptions training(std::size_t which);
std::unique_ptr<Rows> small_rows(Task task = Task::classification);

// What a training of that kind saved when it was stopped in the middle.
struct SavedCheckpoint {
  std::string log, state;  // bytes; state may be empty
};
SavedCheckpoint stopped_checkpoint(std::size_t which);

}  // namespace bochner::fuzzing
