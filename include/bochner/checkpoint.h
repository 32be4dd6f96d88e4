// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   TrainOptions options;
//   options.checkpoint = {.path = "cars.checkpoint", .resume = true};
//   options.execution.cancel = [] { return false; };  // true: what is there is saved, and train() throws Stopped

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bochner {

class CheckpointPlace;

// Where a long training saves how far it is. It goes on from there to the byte-identical model. A training that
// Execution::cancel stops saves what there is first.
struct CheckpointOptions {
  using Identity = std::vector<std::pair<std::string, std::string>>;

  // "": nowhere. What is large goes to path + ".state"; path + ".lock" is there while a training saves. A path where
  // other files lie than those of a checkpoint is refused.
  std::string path = {};
  bool resume = false;  // go on from what the file holds; where there is none, begin anew
  // What makes it the same training: its data and options, by name. A file that says otherwise is refused.
  Identity identity = {};
  std::function<Identity()> late_identity = {};  // more of it that takes time: asked once, when resumed or first saved
  double first_seconds = 30;                     // shorter trainings save nothing
  double share = 0.02;                           // share of the time that saving may take
  std::shared_ptr<CheckpointPlace> place = {};   // path, where the caller has it and keeps it for longer
};

// Whether a checkpoint is being written at this moment, by any training of the program. For the handler of a signal.
bool checkpoint_is_saving() noexcept;

}  // namespace bochner
