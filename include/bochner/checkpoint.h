// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace bochner {

// Where a long training saves how far it is. It goes on from there to the byte-identical model.
struct CheckpointOptions {
  std::string path = {};  // "": nowhere. What is large goes to path + ".state"
  bool resume = false;    // go on from what the file holds; where there is none, begin anew
  // What makes it the same training: its data and options, by name. A file that says otherwise is refused.
  std::vector<std::pair<std::string, std::string>> identity = {};
  double first_seconds = 30;        // shorter trainings save nothing
  double share = 0.02;              // of the time that saving may take
  std::function<bool()> stop = {};  // asked often; true: save what there is and throw Stopped
};

// Thrown where CheckpointOptions::stop asked for it. The file holds where the training stands.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped as asked"; }
};

}  // namespace bochner
