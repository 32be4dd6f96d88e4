// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>
#include <vector>

#include "bochner/train.h"
#include "messages.h"

namespace bochner {

// What `train` says: what was read, what looks odd, what won, one thing to try, and every warning last; with --verbose
// all that is chosen on the way.
class TrainTalk {
 public:
  TrainTalk(Messages& messages, bool verbose) : messages_(messages), verbose_(verbose) {}

  void listen(TrainOptions& options);  // hears what a training says
  void notice(const std::string& line);
  // After the training, before its score: what won, and in which time.
  void won(const Report& report);
  // After the score. saved: "" if nothing was; tries: the most promising first.
  void end(const std::string& saved, const std::vector<std::string>& tries);

 private:
  Messages& messages_;
  bool verbose_;
  std::size_t odd_ = 0;
  std::vector<std::string> warnings_;  // and what else is to be done about the score: said last
};

}  // namespace bochner
