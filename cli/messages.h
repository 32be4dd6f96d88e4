// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <chrono>
#include <string>

#include "bochner/execution.h"
#include "bochner/visible_text.h"

namespace bochner {

// What a person who waits sees, all on stderr; nothing when quiet. A pass over the rows shows a bar with an estimate
// on a terminal, a line every ten seconds elsewhere.
class Messages {
 public:
  explicit Messages(bool quiet);
  ~Messages() { clear_bar(); }
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  void say(const std::string& line);
  void warn(const std::string& line) { say("warning: " + line); }
  void step(const std::string& text);  // shown on a terminal only, until something else is said
  void progress(const std::string& step, double fraction);
  ProgressFunction progress_function() {
    return [this](const std::string& step, double fraction) { progress(step, fraction); };
  }

 private:
  using Time = std::chrono::steady_clock::time_point;

  void draw(double fraction, double seconds);
  void clear_bar();

  bool quiet_, terminal_, drawn_ = false;
  std::string step_;
  Time begin_, shown_;
};

// The one line on stderr of a command that fails: said even when quiet.
void say_error(const std::string& text);

}  // namespace bochner
