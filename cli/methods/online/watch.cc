// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/watch.h"

#include <nlohmann/json.hpp>

#include "commands.h"
#include "load_as.h"
#include "options.h"
#include "output.h"
#include "require.h"

namespace bochner {

namespace {

struct WatchWords {
  std::string model, stream, output;
  WatchOptions options;
  RunOptions run;
  FileOptions format;
};

std::string line_of(const Watched& seen) {
  nlohmann::ordered_json line = {
      {"rows", seen.rows},
      {"kept", seen.kept},
      {"loss", seen.loss},
      {"mean_loss", seen.mean_loss},
      {"evidence", seen.evidence},
      {"alarm", seen.alarm ? nlohmann::ordered_json(*seen.alarm) : nlohmann::ordered_json()}};
  return line.dump() + "\n";
}

void run_watch(const WatchWords& words) {
  Messages messages(words.run.quiet);
  WatchOptions options = words.options;
  options.execution = words.run.execution(messages);
  options.execution.progress = {};
  require(words.output != "-", "-o: found -, expected a file for the model");
  if (!words.output.empty()) check_output(words.output, {words.model, words.stream});
  OnlineModel model = load_as<OnlineModel>(words.model);
  const std::unique_ptr<Rows> rows = open_rows(words.stream, model.model().schema(), words.format.rows(words.run));
  watch(model, *rows, options, [&](const Watched& seen) {
    print(line_of(seen));
    if (seen.alarm)
      messages.say(fmt::format("row {}: the errors have grown, evidence {:.3g}", *seen.alarm, seen.evidence));
  });
  if (words.output.empty()) return;
  model.save(words.output);
  messages.say("saved " + words.output);
}

}  // namespace

void add_watch(Command& app, Job& job) {
  Command* command = app.add_subcommand("watch", "Predict rows as they come, test for change, and learn them");
  auto words = std::make_shared<WatchWords>();
  command->add_option("MODEL", words->model, "A model of `bochner train --keep-sum`")->required()->type_name("");
  command->add_option("--stream", words->stream, "The rows, with their targets; - is standard input")
      ->required()
      ->type_name("FILE");
  command->add_option("--every", words->options.every, "Rows between two solves; default: 1000")->type_name("K");
  command
      ->add_option("--window", words->options.window,
                   "Learn from so many newest rows of the stream; the others are forgotten. Default: from all")
      ->type_name("N");
  command
      ->add_option("--level", words->options.level,
                   "Chance of an alarm while nothing changes, over any number of rows; default: 0.05")
      ->type_name("A");
  command->add_option("--seed", words->options.seed, "Of the draws that part equal ranks; default: 0")->type_name("S");
  command->add_option("-o,--output", words->output, "Where to save the model at the end")->type_name("MODEL");
  words->format.add(*command);
  words->run.add(*command);
  command->footer(
      "Example:\n"
      "  tail -f sales.csv | bochner watch sales.model --stream - --every 100 --window 10000\n"
      "A line of JSON for each K rows: rows so far, rows that the model is of, the loss of these rows and the mean of\n"
      "all (each predicted before it was learnt), the evidence that errors have grown, and the row of an alarm.");
  command->callback([words, &job] { job = [words] { run_watch(*words); }; });
}

}  // namespace bochner
