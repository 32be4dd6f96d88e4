// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto place = std::make_shared<CheckpointPlace>("cars.checkpoint");
//   train(*open_rows("cars.csv", {.targets = {"price"}}), {.checkpoint = {.path = place->log(), .place = place}});
//   place->remove();

#include <string>
#include <vector>

namespace bochner {

// Where a checkpoint lies, and the right to write and to remove what lies there: nothing but checkpoints of ours is
// replaced or removed, no link is followed, and of trainings that run at the same time one has the place.
//   path         the log: results of finished pieces of work
//   path.state   the state of a long piece
//   path.lock    held by the training that has the place, for as long as it lives
// One thread at a time uses a place.
class CheckpointPlace {
 public:
  // Refuses (std::invalid_argument) a path where files lie that are not of a checkpoint.
  explicit CheckpointPlace(std::string path);
  ~CheckpointPlace();  // leaves the checkpoint as it is and gives the place back
  CheckpointPlace(const CheckpointPlace&) = delete;
  CheckpointPlace& operator=(const CheckpointPlace&) = delete;

  static std::vector<std::string> files(const std::string& path);

  const std::string& log() const { return path_; }
  const std::string& state() const { return state_; }
  bool holds_checkpoint() const;  // left by this run or by an earlier one

  // Takes the place unless this process has it. False: another training that still runs has it.
  bool claim();
  // claim(), or Error::Kind::io that says who has it.
  void claim_or_fail();

  // Removes the checkpoint, where we have the place.
  void remove();

 private:
  void give_back();

  std::string path_, state_, lock_;
  bool claimed_ = false;
  int lock_file_ = -1;
};

}  // namespace bochner
