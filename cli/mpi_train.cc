// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include "bochner/mpi.h"
#include "clock.h"
#include "commands.h"
#include "output.h"
#include "require.h"
#include "train_report.h"
#include "train_words.h"

namespace bochner {

namespace {

struct MpiWords {
  TrainWords train;
  std::vector<std::string> files;
};

void run_mpi_train(const MpiWords& words) {
  Clock clock;
  TrainOptions options = words.train.options();
  const std::unique_ptr<Ranks> ranks = mpi_ranks();
  const bool first = ranks->rank() == 0;
  Messages messages(words.train.run.quiet || !first);
  options.execution = words.train.run.execution(messages);
  options.execution.ranks = ranks.get();
  check_options(options);
  if (first) {
    require(words.train.output != "-", "-o: found -, expected a file for the model");
    for (const std::string& file : words.files) check_output(words.train.output, {file});
  }
  messages.say(fmt::format("{} on {}", counted(words.files.size(), "file"), counted(ranks->count(), "rank")));
  const std::unique_ptr<Rows> rows = open_on_ranks(words.files, words.train.rows(), *ranks);
  const Model model = train(*rows, options);
  if (!first) return;
  if (!words.train.output.empty()) model.save(words.train.output);
  print(train_text(model, words.train, clock.lap()));
}

}  // namespace

void add_mpi_train(Command& app, Job& job) {
  Command* command =
      app.add_subcommand("mpi-train", "Train on the processes that mpirun started, each on files of its own");
  auto words = std::make_shared<MpiWords>();
  command->add_option("FILE", words->files, "Rows to train on: files in turn, or a shard of each if they are few")
      ->required()
      ->type_name("");
  command->add_option("-o,--output", words->train.output, "Where rank 0 saves the model")->type_name("MODEL");
  words->train.add_for_sums(*command);
  command->footer(
      "Examples:\n"
      "  mpirun -n 4 bochner mpi-train part*.csv --target price --features 1000 -o prices.model\n"
      "  mpirun -n 4 bochner mpi-train clicks.csv --target class --learner logistic --threads 1 -o clicks.model\n"
      "The model has the same bytes for any number of ranks.");
  command->callback([words, &job] { job = [words] { run_mpi_train(*words); }; });
}

}  // namespace bochner
