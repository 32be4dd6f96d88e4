// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "train_checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "bochner/paths.h"
#include "output.h"
#include "require.h"
#include "signals.h"

namespace bochner {

namespace fs = std::filesystem;

namespace {

// Beside a model that is a file; a pipe or a device has no such place.
std::string checkpoint_path(const TrainWords& words) {
  if (!words.checkpoint.empty()) return words.checkpoint;
  const bool file = !words.output.empty() && (!fs::exists(words.output) || fs::is_regular_file(words.output));
  return file ? words.output + ".checkpoint" : "";
}

// All files of a checkpoint are replaced while it is saved and go when the model is there.
void check_names(const std::string& path, const TrainWords& words) {
  for (const std::string& file : CheckpointPlace::files(path)) {
    for (const std::string& input : {words.file, words.validation})
      require(input.empty() || !same_file(file, input),
              "{}: is an input of this command and would be replaced by its checkpoint; choose another place by "
              "--checkpoint",
              input);
    require(words.output.empty() || !same_file(file, words.output),
            "{}: is the output of this command and the name of its checkpoint; choose another place by --checkpoint",
            words.output);
  }
}

// Every word that may change the model.
CheckpointOptions::Identity words_given(const CLI::App& command) {
  CheckpointOptions::Identity pairs = {{"bochner", BOCHNER_VERSION}};
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    const auto harmless = {"",        "FILE",   "--validation", "--output", "--threads",   "--memory",
                           "--quiet", "--json", "--resume",     "--help",   "--checkpoint"};  // hidden words: ""
    if (option->count() == 0 || std::find(harmless.begin(), harmless.end(), name) != harmless.end()) continue;
    pairs.emplace_back(name, fmt::format("{}", fmt::join(option->results(), " ")));
  }
  return pairs;
}

}  // namespace

TrainCheckpoint::TrainCheckpoint(const CLI::App& command, const TrainWords& words) : command_(command), words_(words) {
  const std::string path = checkpoint_path(words);
  require(!words.resume || !path.empty(), "--resume: found neither -o nor --checkpoint, expected one of them");
  if (path.empty()) return;
  check_names(path, words);
  place_ = std::make_shared<CheckpointPlace>(path);
  check_output(path, {});
  if (place_->holds_checkpoint()) place_->claim_or_fail();
  data_.emplace_back("the data (by their hash)", UnchangedFile(words.file));
  if (!words.validation.empty())
    data_.emplace_back("the validation rows (by their hash)", UnchangedFile(words.validation));
}

CheckpointOptions TrainCheckpoint::options(Messages& messages) const {
  CheckpointOptions options;
  if (!place_) return options;
  options.path = place_->log();
  options.place = place_;
  options.resume = words_.resume;
  options.identity = words_given(command_);
  options.late_identity = [this] {
    CheckpointOptions::Identity pairs;
    for (const auto& [name, file] : data_) pairs.emplace_back(name, fmt::format("{:016x}", file.hash()));
    return pairs;
  };
  options.first_seconds = words_.checkpoint_seconds;
  if (words_.checkpoint_seconds == 0) options.share = std::numeric_limits<double>::infinity();  // at every chance
  stop_at_point(words_.stop_after);
  stop_softly(options.path, fmt::format("bochner: stopped; {} holds how far it was: go on with the same words and "
                                        "--resume\n",
                                        options.path));
  const bool found = place_->holds_checkpoint();
  if (words_.resume && !found) messages.say(options.path + " does not exist; the training begins anew");
  if (!words_.resume && found)
    messages.say(options.path + " is of an earlier training; --resume goes on from it, this begins anew");
  return options;
}

void TrainCheckpoint::remove() {
  if (place_) place_->remove();
}

}  // namespace bochner
