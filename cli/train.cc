// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <algorithm>

#include "advice.h"
#include "base/clock.h"
#include "base/require.h"
#include "commands.h"
#include "learn/learner.h"
#include "model/plan.h"
#include "model/report_json.h"
#include "output.h"
#include "rows/labels.h"
#include "train_checkpoint.h"
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

std::string found_line(const Rows& rows, const TrainWords& words) {
  const Schema& schema = rows.schema();
  // Two kinds of whole numbers are classes and nothing else; more may well be counts.
  const bool counts = words.task.empty() && schema.labels.size() > 2 && LabelIndex(schema.labels).numeric();
  const std::string count = rows.size() ? fmt::format("{} rows, ", *rows.size()) : "";
  const std::string task =
      schema.task == Task::classification
          ? fmt::format("{} classes{}", schema.labels.size(),
                        counts ? " (whole numbers, taken as classes; --task regression for numbers)" : "")
          : fmt::format("regression of {} target{}", schema.targets, schema.targets == 1 ? "" : "s");
  return fmt::format("{}{} inputs, {}", count, schema.inputs, task);
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

nlohmann::json to_json(const Model& model, const TrainWords& words, double seconds) {
  nlohmann::json tree = report_to_json(model.report());
  tree["task"] = model.schema().task == Task::classification ? "classification" : "regression";
  tree["model"] = words.output.empty() ? nlohmann::json() : nlohmann::json(words.output);
  for (const auto& [step, time] : model.report().seconds) tree["seconds"][step] = time;
  tree["seconds"]["total"] = seconds;
  return tree;
}

std::string to_text(const Report& report, double seconds) {
  const std::string score =
      report.score ? fmt::format("{} ({})", report.score->text(), report.validation) : "trained, without a score";
  return fmt::format("{}; {} features, lambda {:.3g}, {:.2f} s\n", score, report.features, report.lambda, seconds);
}

void run_train(const CLI::App& command, const TrainWords& words) {
  Clock clock;
  Messages messages(words.run.quiet);
  TrainOptions options = words.options();
  const RowsOptions reading = words.rows();
  options.execution = words.run.execution(messages);
  options.say = [&](const std::string& line) { messages.say("  " + line); };
  check_options(options);
  check_output(words.output, {words.file, words.validation});
  TrainCheckpoint checkpoint(command, words);

  messages.step("reading " + words.file);
  const std::unique_ptr<Rows> rows = open_rows(words.file, reading);
  check_options(options, rows->schema().inputs);
  check_names(words, options, rows->schema());
  std::unique_ptr<Rows> validation;
  if (!words.validation.empty()) {
    validation = open_rows(words.validation, rows->schema(), words.format.rows(words.run));
    options.validation = validation.get();
    options.validation_name = words.validation;
  }
  messages.say(words.file + ": " + found_line(*rows, words));
  options.checkpoint = checkpoint.options(messages);
  const Model model = train_file(*rows, options, words.file);
  if (!words.output.empty()) model.save(words.output);
  checkpoint.remove();
  const double seconds = clock.lap();
  for (const auto& [step, time] : model.report().seconds)
    if (time >= 1) messages.say(fmt::format("  {}: {:.1f} s", step, time));
  if (words.json)
    print_json(to_json(model, words, seconds));
  else
    print(to_text(model.report(), seconds));
  messages.say(words.output.empty() ? "nothing was saved: give -o MODEL to keep the model" : "saved " + words.output);
  const std::vector<std::string> lines = advice(model.report(), options);
  if (!lines.empty()) messages.say("to try next:");
  for (const std::string& line : lines) messages.say("  " + line);
}

}  // namespace

void add_train(CLI::App& app, Job& job) {
  CLI::App* command = app.add_subcommand("train", "Train a kernel machine from a file of rows");
  auto words = std::make_shared<TrainWords>();
  words->add(*command);
  command->footer(
      "Examples:\n"
      "  bochner train cars.csv --target price -o cars.model\n"
      "  bochner train a9a.svm --features 500 --validation a9a.t.svm -o adult.model\n"
      "  bochner train covtype.csv.gz --target class --kernel laplacian --lambda 1e-7,1e-6,1e-5 -o covtype.model\n"
      "  bochner train a9a.svm --learner svm --loss squared-hinge --C 1 -o adult.model\n"
      "The score is one line on stdout (one object with --json). Without -o the model is scored and not kept.");
  command->callback([words, command, &job] { job = [words, command] { run_train(*command, *words); }; });
}

}  // namespace bochner
