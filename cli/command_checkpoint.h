// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bochner/checkpoint_place.h"
#include "bochner/file_hash.h"
#include "bochner/open_checkpoint.h"
#include "commands.h"
#include "messages.h"

namespace bochner {

// How a command that may run long saves how far it is.
struct CheckpointWords {
  std::string checkpoint;
  bool resume = false;
  double seconds = 30;
  std::size_t stop_after = 0;  // 0: never

  // what: "training".
  void add(Command& app, const std::string& what);
};

// The checkpoint of one command: its place, what makes it this run's, and its end.
class CommandCheckpoint {
 public:
  struct Files {
    std::vector<std::pair<const char*, std::string>> inputs;  // what they are, and where; "": none
    std::string output;
  };
  // Before the rows are opened: refuses a place where the checkpoint would meet files that are not its own.
  CommandCheckpoint(const Command& command, const CheckpointWords& words, Files files);

  CheckpointOptions options(Messages& messages) const;
  // The same, opened for work that takes it by its execution, which may then be stopped.
  void attach(Execution& execution, Messages& messages);
  void remove();  // the model is saved

 private:
  const Command& command_;
  CheckpointWords words_;
  std::shared_ptr<CheckpointPlace> place_;  // none: nothing is saved
  std::vector<std::pair<const char*, UnchangedFile>> data_;
  std::shared_ptr<Checkpoint> opened_;
};

}  // namespace bochner
