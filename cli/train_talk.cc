// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "train_talk.h"

#include <fmt/format.h>

#include <algorithm>

#include "score_words.h"

namespace bochner {

namespace {
constexpr std::size_t kMostOdd = 3;  // lines that are said without --verbose

// What the library says, with the words to type.
std::string with_words(const std::string& line) {
  if (line.ends_with("keep rows of a group together")) return line + " (--group COLUMN)";
  return with_class_words(line);
}

}  // namespace

void TrainTalk::notice(const std::string& said) {
  const std::string line = with_words(said);
  if (line.starts_with("warning: ") || line != said) {
    if (std::find(warnings_.begin(), warnings_.end(), line) == warnings_.end()) warnings_.push_back(line);
  } else if (verbose_ || ++odd_ <= kMostOdd) {
    messages_.say("  " + line);
  }
}

void TrainTalk::listen(TrainOptions& options) {
  options.notice = [this](const std::string& line) { notice(line); };
  if (verbose_) options.say = [this](const std::string& line) { messages_.say("  " + line); };
}

void TrainTalk::won(const Report& report) {
  if (odd_ > kMostOdd) messages_.say(fmt::format("  and {} more such lines with --verbose", odd_ - kMostOdd));
  if (!verbose_)
    for (const std::string& note : report.notes)
      if (note.starts_with("blend") || note.starts_with("no signal was found")) messages_.say("  " + note);
  for (const auto& [step, time] : report.seconds)
    if (verbose_ && time >= 1) messages_.say(fmt::format("  {}: {:.1f} s", step, time));
}

void TrainTalk::end(const std::string& saved, const std::vector<std::string>& tries) {
  std::string line = saved.empty() ? "nothing was saved: give -o MODEL to keep the model" : "saved " + saved;
  if (!verbose_ && !tries.empty()) line += "; to try next: " + tries[0];
  messages_.say(line);
  if (verbose_ && !tries.empty()) messages_.say("to try next:");
  for (std::size_t i = 0; verbose_ && i < tries.size(); ++i) messages_.say("  " + tries[i]);
  for (const std::string& warning : warnings_) messages_.say(warning);
}

}  // namespace bochner
