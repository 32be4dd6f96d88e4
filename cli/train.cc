// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "advice.h"
#include "bochner/paths.h"
#include "clock.h"
#include "command_checkpoint.h"
#include "commands.h"
#include "output.h"
#include "require.h"
#include "signals.h"
#include "train_report.h"
#include "train_split.h"
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

std::string found_line(const Rows& rows, const TrainWords& words) {
  const Schema& schema = rows.schema();
  // Two kinds of whole numbers are classes and nothing else; more may well be counts.
  const bool counts = words.task.empty() && schema.labels.size() > 2 && are_numbers(schema.labels);
  const std::string count = rows.size() ? counted(*rows.size(), "row") + ", " : "";
  const std::string task = schema.task == Task::classification ? counted(schema.labels.size(), "class")
                                                               : "regression of " + counted(schema.targets, "target");
  return count + counted(schema.inputs, "input") + ", " + task +
         (counts ? " (whole numbers, taken as classes; --task regression for numbers)" : "");
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
  if (words.test > 0) split_for_test(rows, words.seed, words.test);
}

void check_split(const TrainWords& words) {
  require(words.test_given->count() == 0 || (words.test > 0 && words.test < 1),
          "--test: found {}, expected a share of the rows between 0 and 1, such as 0.2", words.test);
  require(words.folds_given->count() == 0 || (words.folds >= 2 && words.folds <= 100),
          "--folds: found {}, expected 2 to 100", words.folds);
  require(words.test == 0 || words.folds == 0, "--folds: found --test too, expected one of them");
  require(words.validation.empty() || !is_pipe(words.validation),
          "--validation: {} is a pipe, which can be read only once; store the rows in a file", words.validation);
  require(words.validation.empty() || !same_file(words.validation, words.file),
          "--validation: {} is the training file, which the model knows; give other rows, or --test 0.2 to keep some",
          words.validation);
}

Model train_and_test(Rows& rows, const TrainOptions& options, const TrainWords& words, Messages& messages) {
  std::vector<Score> folds;
  if (words.folds > 0) folds = cross_validate(rows, options, words.folds, messages);
  TestSplit split;
  if (words.test > 0) split = split_for_test(rows, words.seed, words.test);
  TrainOptions stoppable = options;
  if (!options.checkpoint.path.empty()) stoppable.execution.cancel = asked_to_stop;
  Model model = train_file(split.train ? *split.train : rows, stoppable, words.file);
  Report report = model.report();
  report.folds = std::move(folds);
  if (split.test) report.test = model.evaluate(*split.test, options.execution);
  model.set_report(std::move(report));
  if (const auto& test = model.report().test; test && !test->warning().empty())
    messages.warn("on the test rows: " + test->warning());
  return model;
}

void run_train(const Command& command, const TrainWords& words) {
  Clock clock;
  Messages messages(words.run.quiet);
  TrainOptions options = words.options();
  const RowsOptions reading = words.rows();
  options.execution = words.run.execution(messages);
  options.say = [&](const std::string& line) { messages.say("  " + line); };
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
  std::unique_ptr<Rows> validation;
  if (!words.validation.empty()) {
    validation = open_rows(words.validation, rows->schema(), words.format.rows(words.run));
    options.validation = validation.get();
    options.validation_name = words.validation;
  }
  messages.say(words.file + ": " + found_line(*rows, words));
  options.checkpoint = checkpoint.options(messages);
  const Model model = train_and_test(*rows, options, words, messages);
  if (!words.output.empty()) model.save(words.output);
  checkpoint.remove();
  const double seconds = clock.lap();
  for (const auto& [step, time] : model.report().seconds)
    if (time >= 1) messages.say(fmt::format("  {}: {:.1f} s", step, time));
  if (words.json)
    print_json(train_json(model, words, seconds));
  else
    print(train_text(model, words, seconds));
  messages.say(words.output.empty() ? "nothing was saved: give -o MODEL to keep the model" : "saved " + words.output);
  const std::vector<std::string> lines = advice(model, options, words.test > 0 || words.folds > 0);
  if (!lines.empty()) messages.say("to try next:");
  for (const std::string& line : lines) messages.say("  " + line);
}

}  // namespace

void add_train(Command& app, Job& job) {
  Command* command = app.add_subcommand("train", "Train a kernel machine from a file of rows");
  auto words = std::make_shared<TrainWords>();
  words->add(*command);
  keep_help_short(*command, {"FILE", "--output", "--target", "--task", "--test", "--folds", "--effort", "--budget",
                             "--map", "--bandwidth", "--features", "--learner", "--kernel", "--class-weight", "--seed",
                             "--json", "--quiet"});
  command->footer(
      "Examples:\n"
      "  bochner train cars.csv --target price -o cars.model      the automatic machine\n"
      "  bochner train cars.csv --target price --effort fast\n"
      "  bochner train a9a.svm --features 500 -o adult.model\n"
      "  bochner eval adult.model a9a.t.svm                       the score on a test set\n"
      "  bochner train covtype.csv.gz --target class --kernel laplacian --lambda 1e-7,1e-6,1e-5 -o covtype.model\n"
      "  bochner train a9a.svm --learner svm --loss squared-hinge --C 1 -o adult.model\n"
      "  bochner train cars.csv --target price --test 0.2        a score on rows that nothing in the training saw\n"
      "The score is one line on stdout (one object with --json). Without -o the model is scored and not kept.");
  command->callback([words, command, &job] { job = [words, command] { run_train(*command, *words); }; });
}

}  // namespace bochner
