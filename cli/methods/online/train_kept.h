// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bochner/online.h"
#include "train_words.h"

namespace bochner {

// `bochner train` with --keep-sum or --choices-of.
void train_kept(const Command& command, const TrainWords& words);

// The words of `bochner train` apart from its command line.
struct ToldTraining {
  WordsLine line;
  TrainWords words;

  ToldTraining() { words.add(line.command()); }
};
// Those that a model keeps; std::invalid_argument if it keeps none. what: the option that needs them.
std::unique_ptr<ToldTraining> training_of(const OnlineModel& model, const std::string& what);

// The model of the rows that remain by choices made anew, as `bochner train` makes them by the words of `model`.
// std::invalid_argument or Error if these are not its rows. beside: how the work runs and the file is written.
struct Rechoosing {
  const RunOptions& run;
  const FileOptions& format;
  Messages& messages;
};
OnlineModel rechosen_by(const OnlineModel& model, const std::string& file, const Rechoosing& beside);

}  // namespace bochner
