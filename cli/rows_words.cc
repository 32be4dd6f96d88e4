// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows_words.h"

#include <nlohmann/json.hpp>

#include "model_json.h"
#include "output.h"
#include "require.h"

namespace bochner {

void RowsWords::add(Command& app) {
  add_file(app);
  app.add_option("--seed", seed, "Seed of everything random; the same seed gives the same model")->type_name("N");
  app.add_option("--precision", precision, "Precision of the outputs: float or double")->type_name("P");
  add_columns(app, "Column that is no input, by name or index from 0; several: a,b or again");
}

void RowsWords::add_file(Command& app) {
  app.add_option("FILE", file, "Rows: csv, svmlight or npy, plain or .gz, .xz, .zst")->required()->type_name("");
  app.add_option("-o,--output", output, "Where to save the model")->required()->type_name("MODEL");
}

void RowsWords::add_columns(Command& app, const std::string& target_help) {
  add_repeatable(app, "-t,--target", targets, target_help)->type_name("NAME|INDEX")->group(kColumns);
  app.add_option("--missing", missing, "Missing cells: mean (of numbers) or error")->type_name("M")->group(kColumns);
  columns.add(app);
  format.add(app);
  run.add(app);
  app.add_flag("--json", json, "Print what the model holds but its arrays as JSON, as `inspect --json` does");
}

bool RowsWords::double_precision() const {
  return parse_word<bool>("--precision", precision, {{"float", false}, {"double", true}});
}

RowsOptions RowsWords::reading() const {
  require(output != "-", "-o: found -, expected a file for the model");
  RowsOptions reading = format.rows(run);
  reading.targets = split_lists(targets);
  reading.weights = weights;
  columns.apply(reading);
  reading.missing = parse_word<Missing>("--missing", missing, {{"mean", Missing::mean}, {"error", Missing::error}});
  return reading;
}

void RowsWords::save(const Model& model) const {
  model.save(output);
  if (json) print_json(model_json(model, output));
}

std::unique_ptr<Rows> RowsWords::open() const {
  RowsOptions options = reading();
  options.inputs_only = true;
  double_precision();
  check_output(output, {file});
  return open_rows(file, options);
}

void MappedWords::add(Command& app, Targets targets, const std::string& target_help) {
  kind = targets;
  rows.add_file(app);
  add_map(app, targets == Targets::none ? "median" : "searched where there is a target, otherwise median");
  add_precision_and_seed(app);
  rows.add_columns(app, target_help.empty() ? "Column that is no input, by name or index from 0; several: a,b or again"
                                            : target_help);
  if (takes_weights)
    app.add_option("--weights", rows.weights, "Column of row weights")->type_name("COLUMN")->group(kColumns);
  if (targets != Targets::none)
    app.add_option("--task", task, "regression or classification; default: by the target's values")->type_name("T");
}

std::unique_ptr<Rows> MappedWords::open() const {
  feature_options();
  RowsOptions options = rows.reading();
  options.inputs_only = kind == Targets::none;
  options.target_required = (kind == Targets::required || !options.targets.empty()) && !missing_targets;
  if (!task.empty())
    options.task =
        parse_word<Task>("--task", task, {{"regression", Task::regression}, {"classification", Task::classification}});
  check_output(rows.output, {rows.file});
  return open_rows(rows.file, options);
}

FeatureOptions MappedWords::options(Messages& messages) const {
  FeatureOptions options = feature_options();
  options.execution = rows.run.execution(messages);
  options.say = [&messages](const std::string& line) { messages.say("  " + line); };
  return options;
}

void save_map_model(const RowsWords& words, const Rows& rows, const MapPtr& map, Report report, Messages& messages) {
  report.rows = rows.size().value_or(report.rows);
  report.inputs = map->inputs();
  report.features = map->outputs();
  report.map = map->spec();
  const std::vector<std::string> notes = rows.notes();
  report.notes.insert(report.notes.begin(), notes.begin(), notes.end());
  const Model model(rows.schema(), {}, map, std::move(report), words.double_precision());
  words.save(model);
  messages.say(fmt::format("{} in {}: {} to {}", map->spec(), words.output, counted(map->inputs(), "input"),
                           counted(map->outputs(), "output")));
}

}  // namespace bochner
