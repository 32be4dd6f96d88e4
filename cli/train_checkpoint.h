// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <vector>

#include "bochner/checkpoint_place.h"
#include "bochner/file_hash.h"
#include "commands.h"
#include "messages.h"
#include "train_words.h"

namespace bochner {

// The checkpoint of one `bochner train`: its place, what makes it this training's, and its end.
class TrainCheckpoint {
 public:
  // Before the rows are opened: refuses a place where the checkpoint would meet files that are not its own.
  TrainCheckpoint(const CLI::App& command, const TrainWords& words);

  CheckpointOptions options(Messages& messages) const;
  void remove();  // the model is saved

 private:
  const CLI::App& command_;
  const TrainWords& words_;
  std::shared_ptr<CheckpointPlace> place_;  // none: nothing is saved
  std::vector<std::pair<const char*, UnchangedFile>> data_;
};

}  // namespace bochner
