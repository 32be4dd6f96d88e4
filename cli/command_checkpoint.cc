// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "command_checkpoint.h"

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

// The path beside a model that is a file; a pipe or a device has no such place.
std::string checkpoint_path(const CheckpointWords& words, const std::string& output) {
  if (!words.checkpoint.empty()) return words.checkpoint;
  const bool file = !output.empty() && (!fs::exists(output) || fs::is_regular_file(output));
  return file ? companion_of(output, Companion::checkpoint) : "";
}

// All files of a checkpoint are replaced while it is saved and go when the model is there.
void check_names(const std::string& path, const CommandCheckpoint::Files& files) {
  for (const std::string& file : CheckpointPlace::files(path)) {
    for (const auto& [what, input] : files.inputs)
      require(input.empty() || !same_file(file, input),
              "{}: is an input of this command and would be replaced by its checkpoint; choose another place by "
              "--checkpoint",
              input);
    require(files.output.empty() || !same_file(file, files.output),
            "{}: is the output of this command and the name of its checkpoint; choose another place by --checkpoint",
            files.output);
  }
}

// Every word that may change the model.
CheckpointOptions::Identity words_given(const Command& command) {
  CheckpointOptions::Identity pairs = {{"bochner", BOCHNER_VERSION}};
  for (const Word* option : command.get_options()) {
    const std::string name = option->get_name();
    const auto harmless = {
        "",         "FILE",   "--validation", "--output", "--threads",    "--memory", "--quiet",
        "--device", "--json", "--resume",     "--help",   "--checkpoint", "--verbose"};  // hidden words: ""
    if (option->count() == 0 || std::find(harmless.begin(), harmless.end(), name) != harmless.end()) continue;
    pairs.emplace_back(name, fmt::format("{}", fmt::join(option->results(), " ")));
  }
  return pairs;
}

}  // namespace

void CheckpointWords::add(Command& app, const std::string& what) {
  app.add_flag("--resume", resume, fmt::format("Go on where a {} by the same words was stopped or killed", what));
  app.add_option("--checkpoint", checkpoint,
                 fmt::format("Where a long {} saves how far it is; default: MODEL.checkpoint, from 30 s on", what))
      ->type_name("FILE");
  // For tests: how soon and how often it saves; at which of the points where it may be stopped it is.
  app.add_option("--checkpoint-seconds", seconds)->group("");
  app.add_option("--stop-after", stop_after)->group("");
}

CommandCheckpoint::CommandCheckpoint(const Command& command, const CheckpointWords& words, Files files)
    : command_(command), words_(words) {
  const std::string path = checkpoint_path(words, files.output);
  require(!words.resume || !path.empty(), "--resume: found neither -o nor --checkpoint, expected one of them");
  if (path.empty()) return;
  check_names(path, files);
  if (words.resume) check_resumable(path);
  place_ = std::make_shared<CheckpointPlace>(path);
  check_output(path, {});
  if (place_->holds_checkpoint()) place_->claim_or_fail();
  for (const auto& [what, input] : files.inputs)
    if (!input.empty()) data_.emplace_back(what, UnchangedFile(input));
}

CheckpointOptions CommandCheckpoint::options(Messages& messages) const {
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
  options.first_seconds = words_.seconds;
  if (words_.seconds == 0) options.share = std::numeric_limits<double>::infinity();  // saves at every chance
  stop_at_point(words_.stop_after);
  stop_softly(*place_, fmt::format("bochner: stopped; {} holds how far it was: go on with the same words and "
                                   "--resume\n",
                                   options.path));
  const bool found = place_->holds_checkpoint();
  if (words_.resume && !found) messages.say(options.path + " does not exist; the training begins anew");
  if (!words_.resume && found)
    messages.say(options.path + " is of an earlier training; --resume goes on from it, this begins anew");
  return options;
}

void CommandCheckpoint::attach(Execution& execution, Messages& messages) {
  if (!place_) return;
  opened_ = open_checkpoint(options(messages), [&messages](const std::string& line) { messages.say(line); });
  execution.checkpoint = opened_.get();
  execution.cancel = asked_to_stop;
}

void CommandCheckpoint::remove() {
  if (place_) place_->remove();
}

}  // namespace bochner
