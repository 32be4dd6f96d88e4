// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "advice.h"
#include "bochner/paths.h"
#include "bochner/split.h"
#include "clock.h"
#include "command_checkpoint.h"
#include "commands.h"
#include "methods/online/train_kept.h"
#include "output.h"
#include "require.h"
#include "signals.h"
#include "train_report.h"
#include "train_split.h"
#include "train_talk.h"
#include "train_words.h"

namespace bochner {

namespace {

// Names the user gave that the file does not have are faults of the data, found before any work.
void check_names(const TrainWords& words, const TrainOptions& options, const Schema& schema) {
  const std::vector<std::string> inputs = schema.input_names();
  for (const auto& [name, method] : options.scale_inputs)
    if (std::find(inputs.begin(), inputs.end(), name) == inputs.end())
      fail(Error::Kind::data, "{}: has no numeric input '{}', given to --scale; check the name", words.file, name);
  check_classes(schema, {}, words.file);
  if (options.learner.learner != Learner::ridge) check_learner(schema, options.learner);
  require(schema.task == Task::classification || (options.class_weights.empty() && !options.balanced),
          "--class-weight: the targets are numbers, not classes; leave it out or give --task classification");
  for (const auto& [label, weight] : options.class_weights)
    if (schema.task == Task::classification &&
        std::find(schema.labels.begin(), schema.labels.end(), label) == schema.labels.end())
      fail(Error::Kind::data, "{}: has no class '{}', given to --class-weight; check the label", words.file, label);
}

bool are_numbers(const std::vector<std::string>& labels) {
  return std::all_of(labels.begin(), labels.end(), [](const std::string& label) {
    double value = 0;
    const char* const end = label.data() + label.size();
    return std::from_chars(label.data(), end, value).ptr == end && std::isfinite(value);
  });
}

std::string found_line(const Rows& rows) {
  const Schema& schema = rows.schema();
  const std::string count = rows.size() ? counted(*rows.size(), "row") + ", " : "";
  const std::string task = schema.task == Task::classification ? counted(schema.labels.size(), "class")
                                                               : "regression of " + counted(schema.targets, "target");
  return count + counted(schema.inputs, "input") + ", " + task;
}

// Numbers that are taken as classes; two kinds of them are classes and nothing else.
std::string classes_line(const Schema& schema, const TrainWords& words) {
  if (!words.task.empty() || schema.labels.size() <= 2 || !are_numbers(schema.labels)) return "";
  return fmt::format("the target is whole numbers, taken as {}; --task regression takes them as numbers",
                     counted(schema.labels.size(), "class"));
}

// What is wrong with a row is said with its file.
Model train_file(Rows& rows, const TrainOptions& options, const std::string& file) {
  try {
    return train(rows, options);
  } catch (const Error& error) {
    if (!std::string_view(error.what()).starts_with("row ")) throw;
    fail(error.kind(), "{}: {}", file, error.what());
  }
}

// Rows too few to learn from, or to split, are refused before any work.
void check_rows(const TrainWords& words, Rows& rows) {
  constexpr std::size_t kLeastRows = 5;
  if (rows.size() && *rows.size() < kLeastRows)
    fail(Error::Kind::data, "{}: has {}, expected at least {}; nothing can be learnt from fewer", words.file,
         counted(*rows.size(), "row"), kLeastRows);
}

// How the words split the rows; no parts: they do not.
Split split_of(const TrainWords& words, const Rows& rows, const TrainOptions& options) {
  const bool in_time = !options.times.empty();
  if (words.folds > 0)
    return in_time ? later_folds(options.times, words.folds) : fold_split(words.seed, words.folds, options.groups);
  if (words.test.empty()) return {};
  const TestRows test = test_rows(words.test);
  if (in_time) return later_split(options.times, test.share);
  if (!test.last) return test_split(words.seed, test.share, options.groups);
  if (!rows.size())
    fail(Error::Kind::data, "--test: {} does not tell how many rows it has, expected a file for the last of them",
         words.file);
  return last_split(test.share, *rows.size());
}

std::vector<std::uint64_t> groups_by_words(const TrainWords& words, const Rows& rows) {
  if (words.group.empty()) return {};
  std::vector<std::uint64_t> groups = row_groups(words.file, rows.schema(), words.group, words.format.rows(words.run));
  if (std::all_of(groups.begin(), groups.end(), [&](std::uint64_t group) { return group == groups[0]; }))
    fail(Error::Kind::data, "--group: every row of {} has the same cell in '{}', expected two groups or more",
         words.file, words.group);
  return groups;
}

// The dates that the rows of a file are in order of, a sign that rows to come are later ones; and the column's name.
std::pair<std::vector<double>, std::string> times_in_order(const TrainWords& words, const Rows& rows) {
  constexpr std::size_t kLeastDates = 10;
  for (const Column& column : rows.schema().columns) {
    if (column.kind != Column::Kind::numeric || column.dates == Column::Dates::none) continue;
    try {
      std::vector<double> times = row_times(words.file, rows.schema(), column.name, words.format.rows(words.run));
      std::size_t changes = 0;
      for (std::size_t i = 1; i < times.size(); ++i) changes += times[i] != times[i - 1];
      if (changes >= kLeastDates && std::is_sorted(times.begin(), times.end())) return {std::move(times), column.name};
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::data) throw;  // a date is missing
    }
  }
  return {};
}

std::vector<double> times_by_words(const TrainWords& words, const Rows& rows, const TrainOptions& options,
                                   TrainTalk& talk) {
  if (words.time == "none") return {};
  if (words.time.empty()) {
    const bool drawn = words.folds > 0 || (!words.test.empty() && !test_rows(words.test).last);
    if (!options.automatic || !words.group.empty() || drawn) return {};
    const auto [times, column] = times_in_order(words, rows);
    if (!times.empty())
      talk.notice(
          fmt::format("the rows are in order of '{}': later rows judge what earlier ones taught, as --time says; "
                      "--time none draws them",
                      column));
    return times;
  }
  std::vector<double> times = row_times(words.file, rows.schema(), words.time, words.format.rows(words.run));
  if (std::all_of(times.begin(), times.end(), [&](double time) { return time == times[0]; }))
    fail(Error::Kind::data, "--time: every row of {} has the same time in '{}', expected two times or more", words.file,
         words.time);
  return times;
}

void check_split(const TrainWords& words) {
  require(words.time.empty() || words.group.empty(), "--time: found --group too, expected one of them");
  const bool last = !words.test.empty() && test_rows(words.test).last;
  require(!last || words.group.empty(),
          "--test: found {} with --group, expected one of them: the last rows may be of groups that train", words.test);
  require(words.folds_given->count() == 0 || (words.folds >= 2 && words.folds <= 100),
          "--folds: found {}, expected 2 to 100", words.folds);
  require(words.test.empty() || words.folds == 0, "--folds: found --test too, expected one of them");
  require(words.validation.empty() || !is_pipe(words.validation),
          "--validation: {} is a pipe, which can be read only once; store the rows in a file", words.validation);
  require(words.validation.empty() || !same_file(words.validation, words.file),
          "--validation: {} is the training file, which the model knows; give other rows, or --test 0.2 to keep some",
          words.validation);
}

Model train_and_test(Rows& rows, const TrainOptions& options, const TrainWords& words, Messages& messages,
                     TrainTalk& talk) {
  const Split split = split_of(words, rows, options);
  const bool test = !words.test.empty();
  std::vector<Score> folds;
  if (words.folds > 0) folds = cross_validate(rows, options, split, messages);
  TrainOptions stoppable = test ? split.options_of_others(options, 0) : options;
  if (!options.checkpoint.path.empty()) stoppable.execution.cancel = asked_to_stop;
  const std::unique_ptr<Rows> others = test ? split.others(rows, 0) : nullptr;
  Model model = train_file(others ? *others : rows, stoppable, words.file);
  Report report = model.report();
  report.folds = std::move(folds);
  if (test) report.test = split.score(model, rows, options, 0);
  const auto warn = [&](const std::string& of, const std::string& warning) {
    if (!warning.empty()) talk.notice(report.notes.emplace_back("warning: " + of + warning));
  };
  if (report.test) warn("on the test rows: ", report.warning(*report.test));
  if (split.parts > 0) warn(test ? "test: " : "folds: ", repeated_rows(rows, split.parts, split.part).warning());
  model.set_report(std::move(report));
  return model;
}

void run_train(const Command& command, const TrainWords& words) {
  if (words.keep_sum || !words.choices_of.empty()) return train_kept(command, words);
  require(words.ids.empty() && words.choose_on.empty(), "{}: goes with --keep-sum, found none; add it",
          words.ids.empty() ? "--choose-on" : "--ids");
  Clock clock;
  Messages messages(words.run.quiet);
  TrainTalk talk(messages, words.verbose);
  TrainOptions options = words.options();
  const RowsOptions reading = words.rows();
  options.execution = words.run.execution(messages);
  talk.listen(options);
  check_options(options);
  check_split(words);
  require(words.output != "-", "-o: found -, expected a file for the model");
  check_output(words.output, {words.file, words.validation});
  CommandCheckpoint checkpoint(
      command, words.checkpoint,
      {.inputs = {{"the data (by their hash)", words.file}, {"the validation rows (by their hash)", words.validation}},
       .output = words.output});

  messages.step("reading " + words.file);
  const std::unique_ptr<Rows> rows = open_rows(words.file, reading);
  check_options(options, rows->schema().inputs);
  check_names(words, options, rows->schema());
  check_rows(words, *rows);
  options.groups = groups_by_words(words, *rows);
  options.times = times_by_words(words, *rows, options, talk);
  split_of(words, *rows, options).check(*rows);
  std::unique_ptr<Rows> validation;
  if (!words.validation.empty()) {
    validation = open_rows(words.validation, rows->schema(), words.format.rows(words.run));
    options.validation = validation.get();
    options.validation_name = words.validation;
  }
  messages.say(words.file + ": " + found_line(*rows));
  if (const std::string line = classes_line(rows->schema(), words); !line.empty()) talk.notice(line);
  options.checkpoint = checkpoint.options(messages);
  const Model model = train_and_test(*rows, options, words, messages, talk);
  if (!words.output.empty()) model.save(words.output);
  checkpoint.remove();
  const double seconds = clock.lap();
  talk.won(model.report());
  if (words.json)
    print_json(train_json(model, words, seconds));
  else
    print(train_text(model, words, seconds));
  talk.end(words.output, advice(model, options, !words.test.empty() || words.folds > 0));
}

}  // namespace

void add_train(Command& app, Job& job) {
  Command* command = app.add_subcommand("train", "Train a kernel machine from a file of rows");
  auto words = std::make_shared<TrainWords>();
  words->add(*command);
  keep_help_short(*command,
                  {"FILE",     "--output", "--target",    "--task",     "--test",    "--folds",  "--effort",
                   "--budget", "--map",    "--bandwidth", "--features", "--learner", "--kernel", "--class-weight",
                   "--group",  "--time",   "--seed",      "--json",     "--verbose", "--quiet"});
  command->footer(
      "Examples:\n"
      "  bochner train cars.csv --target price -o cars.model      the automatic machine\n"
      "  bochner train visits.csv --target ill --group patient    no patient is held out in part\n"
      "  bochner train a9a.svm --features 500 -o adult.model\n"
      "  bochner eval adult.model a9a.t.svm                       the score on a test set\n"
      "  bochner train covtype.csv.gz --target class --kernel laplacian --lambda 1e-7,1e-6,1e-5 -o covtype.model\n"
      "  bochner train a9a.svm --learner svm --loss squared-hinge --C 1 -o adult.model\n"
      "  bochner train cars.csv --target price --test 0.2        a score on rows that nothing in the training saw\n"
      "The score is one line on stdout (one object with --json). Without -o the model is scored and not kept.");
  command->callback([words, command, &job] { job = [words, command] { run_train(*command, *words); }; });
}

}  // namespace bochner
