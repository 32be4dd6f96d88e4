// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bochner {

class CheckpointPlace;

// Where a long training saves how far it is. It goes on from there to the byte-identical model.
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
  double share = 0.02;                           // of the time that saving may take
  std::function<bool()> stop = {};               // asked often; true: save what there is and throw Stopped
  std::shared_ptr<CheckpointPlace> place = {};   // path, where the caller has it and keeps it for longer
};

// Thrown where CheckpointOptions::stop asked for it. The file holds where the training stands, if it could be saved.
class Stopped : public std::exception {
 public:
  explicit Stopped(bool saved = true) : saved_(saved) {}
  bool saved() const { return saved_; }
  const char* what() const noexcept override { return "stopped as asked"; }

 private:
  bool saved_;
};

}  // namespace bochner
