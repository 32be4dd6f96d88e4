// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/rounds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "bochner/atomic_file.h"
#include "commands.h"
#include "messages.h"
#include "output.h"
#include "require.h"
#include "train_words.h"

namespace bochner {

namespace {

struct RoundsWords {
  TrainWords train;
  std::string step, job;
  std::vector<std::string> files;
  std::size_t partition = 0;
  Word* partition_given = nullptr;
};

std::string bytes_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path))
    fail(Error::Kind::io, "{}: cannot be read, expected a file; check the name", path);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const std::string& path, const std::string& bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

// The words that say what is learnt, as they were given, and the files of the partitions.
std::string what_of(const Command& command, const std::vector<std::string>& files) {
  nlohmann::json what = {{"files", files}, {"words", nlohmann::json::array()}};
  const auto elsewhere = {"STEP",      "JOB",      "FILE",    "--output", "--partition",
                          "--threads", "--memory", "--quiet", "--device"};
  for (const Word* word : command.get_options()) {
    const std::string name = word->get_name();
    if (word->count() == 0 || std::find(elsewhere.begin(), elsewhere.end(), name) != elsewhere.end()) continue;
    for (const std::string& value : word->results()) what["words"].push_back(name + "=" + value);
  }
  try {
    return what.dump();
  } catch (const nlohmann::json::exception&) {
    throw std::invalid_argument(
        "rounds begin: found a name that is no UTF-8, expected UTF-8; rename the file or column");
  }
}

// The name of a job: its words and hashes of its files. Begun again with the same rows it has the same name, and
// results of its tasks serve it. Empty, for one that is drawn, where a file is only where its task runs.
std::string name_of(const std::string& what, const std::vector<std::string>& files, Messages& messages) {
  std::string name = what;
  for (const std::string& file : files) {
    if (!std::filesystem::is_regular_file(file)) {
      messages.say(
          fmt::format("{}: not found here; a job that is begun again will not take results of this one", file));
      return "";
    }
    name += fmt::format("\n{:016x}", part_of_file(file).number);
  }
  return name;
}

// What a job says is learnt.
struct LearntJob {
  std::vector<std::string> files;
  RowsOptions reading;
  Learn learn;
};

LearntJob job_of(const std::string& what) {
  LearntJob job;
  auto words = std::make_shared<TrainWords>();
  WordsLine line;
  words->add_for_sums(line.command());
  try {
    const nlohmann::json tree = nlohmann::json::parse(what);
    job.files = tree.at("files").get<std::vector<std::string>>();
    line.parse(tree.at("words").get<std::vector<std::string>>());
  } catch (const nlohmann::json::exception&) {
    fail(Error::Kind::model, "rounds: the job was not begun by this command; drive it by the program that did");
  } catch (const std::invalid_argument&) {
    fail(Error::Kind::model,
         "rounds: the job has words that are none; it is damaged or of another version, begin it again");
  }
  if (job.files.empty()) fail(Error::Kind::model, "rounds: the job has no files; it is damaged, begin it again");
  job.reading = words->rows();
  TrainOptions options = words->options();
  check_options(options);
  job.learn = [options](Rows& rows, const Execution& given) {
    TrainOptions own = options;
    own.execution = given;
    return train(rows, own);
  };
  return job;
}

void begin(const Command& command, const RoundsWords& words, const Execution& execution, Messages& messages) {
  std::vector<std::string> files = words.files;
  files.insert(files.begin(), words.job);
  for (const std::string& file : files) check_output(words.train.output, {file});
  const std::string what = what_of(command, files);
  const Rounds rounds(what, files.size(), job_of(what).learn, execution, name_of(what, files, messages));
  write_file(words.train.output, rounds.state());
  messages.say(
      fmt::format("next: `bochner rounds task {0} --partition P -o P.part` for P = 0 .. {1}, and "
                  "`bochner rounds merge {0} *.part -o MODEL`, until there is a model",
                  words.train.output, files.size() - 1));
}

void task(const RoundsWords& words, const Execution& execution) {
  const std::string plan = bytes_of_file(words.job);
  const LearntJob job = job_of(what_is_learnt(plan));
  require(words.partition_given->count() > 0, "--partition: found none, expected 0 .. {}", job.files.size() - 1);
  require(words.files.size() <= 1, "rounds task: found {} files, expected at most one, the partition's",
          words.files.size());
  require(words.partition < job.files.size(), "--partition: found {}, expected 0 .. {}", words.partition,
          job.files.size() - 1);
  const std::string file = words.files.empty() ? job.files[words.partition] : words.files[0];
  check_output(words.train.output, {words.job, file});
  write_file(words.train.output,
             run_task(plan, words.partition, file_partition(file, job.reading), job.learn, execution));
}

void merge(const RoundsWords& words, const Execution& execution, Messages& messages) {
  std::vector<std::string> inputs = words.files;
  inputs.push_back(words.job);
  check_output(words.train.output, inputs);
  const std::string state = bytes_of_file(words.job);
  Rounds rounds = Rounds::of_state(state, job_of(what_is_learnt(state)).learn, execution);
  const std::size_t round = rounds.round();
  for (const std::string& file : words.files) {
    if (rounds.done() || rounds.round() != round) break;  // further results are copies
    const std::string result = bytes_of_file(file);
    try {
      rounds.add(result);
    } catch (const Error& error) {
      if (rounds.round() != round) throw;  // the training failed, not the file
      fail(error.kind(), "{}: {}", file, error.what());
    }
  }
  write_file(words.job, rounds.state());
  if (rounds.done())
    rounds.model().save(words.train.output);
  else
    messages.say(
        fmt::format("round {}: missing are the partitions {}", rounds.round(), fmt::join(rounds.missing(), ", ")));
}

void run_rounds(const Command& command, const RoundsWords& words) {
  Messages messages(words.train.run.quiet);
  require(!is_stdout(words.train.output), "--output: found '{}', expected the name of a file", words.train.output);
  const Execution execution = words.train.run.execution(messages);
  if (words.step == "begin") return begin(command, words, execution, messages);
  for (const Word* word : command.get_options()) {
    const auto taken = {"STEP",      "JOB",      "FILE",    "--output", "--partition",
                        "--threads", "--memory", "--quiet", "--device", "--help"};
    require(word->count() == 0 || std::find(taken.begin(), taken.end(), word->get_name()) != taken.end(),
            "{}: found with {}, expected with begin, which says what is learnt", word->get_name(), words.step);
  }
  if (words.step == "task") return task(words, execution);
  require(words.step == "merge", "STEP: found '{}', expected begin, task or merge", words.step);
  merge(words, execution, messages);
}

}  // namespace

void add_rounds(Command& app, Job& job) {
  Command* command = app.add_subcommand("rounds", "Train by tasks of any scheduler, one for each file and round");
  auto words = std::make_shared<RoundsWords>();
  command->add_option("STEP", words->step, "begin, task or merge")->required()->type_name("");
  command->add_option("JOB", words->job, "What begin saved; for begin the first file of rows")
      ->required()
      ->type_name("");
  command
      ->add_option("FILE", words->files, "begin: the other files; task: where its file lies; merge: results of tasks")
      ->type_name("");
  command->add_option("-o,--output", words->train.output, "begin: the job; task: its result; merge: the model, at last")
      ->required()
      ->type_name("FILE");
  words->partition_given =
      command->add_option("--partition", words->partition, "task: which of the files, from 0")->type_name("P");
  words->train.add_for_sums(*command);
  command->footer(
      "Examples:\n"
      "  bochner rounds begin a.csv b.csv --target price --features 500 -o prices.job\n"
      "  bochner rounds task prices.job --partition 0 -o 0.part        one for each file, anywhere\n"
      "  bochner rounds task prices.job --partition 1 -o 1.part\n"
      "  bochner rounds merge prices.job 0.part 1.part -o prices.model\n"
      "Merge replaces the job by that of the next round; tasks and merges go on until the model is there.\n"
      "A task that failed is run again; whether results are whole, of this round and counted once is checked.");
  command->callback([words, command, &job] { job = [words, command] { run_rounds(*command, *words); }; });
}

}  // namespace bochner
