// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "advice.h"
#include "base/clock.h"
#include "base/file_hash.h"
#include "base/require.h"
#include "commands.h"
#include "learn/learner.h"
#include "model/plan.h"
#include "model/report_json.h"
#include "output.h"
#include "rows/labels.h"
#include "run/checkpoint.h"
#include "signals.h"
#include "train_words.h"

namespace bochner {

namespace fs = std::filesystem;

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

// What makes two trainings the same: the data and every word that may change the model.
std::vector<std::pair<std::string, std::string>> identity(const CLI::App& command, const TrainWords& words) {
  const auto told_apart = [](const std::string& file) { return fmt::format("{:016x}", file_hash(file)); };
  std::vector<std::pair<std::string, std::string>> pairs = {{"bochner", BOCHNER_VERSION},
                                                            {"the data (by their hash)", told_apart(words.file)}};
  if (!words.validation.empty())
    pairs.emplace_back("the validation rows (by their hash)", told_apart(words.validation));
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    const auto harmless = {"",        "FILE",   "--validation", "--output", "--threads",   "--memory",
                           "--quiet", "--json", "--resume",     "--help",   "--checkpoint"};  // hidden words: ""
    if (option->count() == 0 || std::find(harmless.begin(), harmless.end(), name) != harmless.end()) continue;
    pairs.emplace_back(name, fmt::format("{}", fmt::join(option->results(), " ")));
  }
  return pairs;
}

CheckpointOptions checkpoint_options(const CLI::App& command, const TrainWords& words) {
  CheckpointOptions options;
  options.path = words.checkpoint;
  // Beside a model that is a file; a pipe or a device has no such place.
  if (options.path.empty() && !words.output.empty() && (!fs::exists(words.output) || fs::is_regular_file(words.output)))
    options.path = words.output + ".checkpoint";
  require(!words.resume || !options.path.empty(), "--resume: found neither -o nor --checkpoint, expected one of them");
  if (options.path.empty()) return options;
  check_output(options.path, {words.file, words.validation, words.output});
  options.resume = words.resume;
  options.identity = identity(command, words);
  options.first_seconds = words.checkpoint_seconds;
  if (words.checkpoint_seconds == 0) options.share = std::numeric_limits<double>::infinity();  // at every chance
  options.stop = asked_to_stop;
  stop_at_point(words.stop_after);
  stop_softly(options.path, fmt::format("bochner: stopped; {} holds how far it was: go on with the same words and "
                                        "--resume\n",
                                        options.path));
  return options;
}

void remove_checkpoint(const std::string& path) {
  std::error_code ignored;
  if (path.empty()) return;
  for (const std::string& file : Checkpoint::files(path)) fs::remove(file, ignored);
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
  options.checkpoint = checkpoint_options(command, words);
  const bool found = !options.checkpoint.path.empty() && fs::exists(options.checkpoint.path);
  if (words.resume && !found) messages.say(options.checkpoint.path + " does not exist; the training begins anew");
  if (!words.resume && found)
    messages.say(options.checkpoint.path + " is of an earlier training; --resume goes on from it, this begins anew");
  const Model model = train(*rows, options);
  if (!words.output.empty()) model.save(words.output);
  remove_checkpoint(options.checkpoint.path);
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
