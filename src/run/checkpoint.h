// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/archive.h"
#include "bochner/checkpoint.h"

namespace bochner {

// The state of a long run in a file, whole or not at all. A run is a sequence of named steps; a resumed run takes the
// same steps and asks for each whether the file knows its state. What the file does not know is simply done again:
// every step is a pure function of what came before, so both ways end in the same bytes.
//
//   if (auto saved = checkpoint.take("gram")) load(*saved);
//   for (...) { work(); checkpoint.offer("gram", [&](Archive& a) { save(a); }); }
class Checkpoint {
 public:
  using Save = std::function<void(Archive&)>;
  using Say = std::function<void(const std::string&)>;

  // Reads the file when options.resume; refuses one of another run (Error::Kind::data) with what differs.
  Checkpoint(const CheckpointOptions& options, Say say);

  // The state an earlier run saved for this step.
  std::optional<Archive> take(const std::string& step);

  // Where the step stands now, between two pieces of work. Saved when that is due: so seldom that saving takes at most
  // the share of the time it may. `save` may put views. A save that fails is said, and tried again later.
  // Throws Stopped, after saving, when the run was asked to stop.
  void offer(const std::string& step, const Save& save);

  // The result of a step that is done, to be part of every save from now on. For what is small.
  void keep(const std::string& step, Archive result);

  // Whether anything of an earlier run was found.
  bool resumed() const { return resumed_; }

 private:
  using Time = std::chrono::steady_clock::time_point;

  bool due(const Archive& archive);
  Archive file_of(const std::string& step, const Save& save) const;
  bool write(const Archive& archive);

  CheckpointOptions options_;
  Say say_;
  bool resumed_ = false;
  std::map<std::string, Archive> kept_, found_;
  Time last_;
  double wait_;  // seconds from last_ until the next save
  bool saved_ = false;
};

}  // namespace bochner
