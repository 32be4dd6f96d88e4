// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/require.h"
#include "commands.h"
#include "csv_line.h"
#include "model/new_rows.h"
#include "options.h"
#include "output.h"

namespace bochner {

namespace {

struct PredictWords {
  std::string model, file, output;
  bool scores = false, probabilities = false, names = false;
  RunOptions run;
  FileOptions format;
};

std::vector<std::string> target_names(const Schema& schema) {
  std::vector<std::string> names;
  for (const Column& column : schema.columns)
    if (column.kind == Column::Kind::target) names.push_back(column.name);
  while (names.size() < schema.targets) names.push_back(fmt::format("target{}", names.size()));
  return names;
}

// The names of what a line holds, for --names.
std::string heading(const Model& model, const PredictWords& words) {
  const Schema& schema = model.schema();
  std::string line;
  if (schema.task == Task::regression) {
    for (const std::string& name : target_names(schema)) append_cell(line += line.empty() ? "" : ",", name);
    return line + "\n";
  }
  append_cell(line, target_names(schema)[0]);
  if (words.scores)  // two classes have one score, above 0 for the second
    for (std::size_t k = 0; k < model.outputs(); ++k)
      append_cell(line += ",", "score " + schema.labels[model.outputs() == 1 ? 1 : k]);
  if (words.probabilities)
    for (const std::string& label : schema.labels) append_cell(line += ",", "probability " + label);
  return line + "\n";
}

void append_prediction(std::string& line, const Model& model, const double* values, const PredictWords& words) {
  const bool classes = model.schema().task == Task::classification;
  if (classes) append_cell(line, model.label(values));
  if (!classes || words.scores)
    for (std::size_t k = 0; k < model.outputs(); ++k) {
      if (classes || k > 0) line += ',';
      append_number(line, values[k]);
    }
  if (words.probabilities)
    for (double p : model.probabilities(values)) append_number(line += ',', p);
  line += '\n';
}

void run_predict(const PredictWords& words) {
  Messages messages(words.run.quiet);
  const Execution execution = words.run.execution(messages);
  RowsOptions reading = words.format.rows(words.run);
  reading.target_required = false;
  const Model model = load_model(words.model);
  require(!words.probabilities || model.has_probabilities(),
          "--probabilities: the scores of {} are no probabilities; train with --learner logistic",
          model.report().learner);
  check_output(words.output, {words.model, words.file});
  const std::unique_ptr<Rows> rows = open_rows(words.file, model.schema(), reading);

  Output output(words.output);
  if (words.names) output.write(heading(model, words));
  std::size_t count = 0;
  std::string line;
  NewRows watched(*rows, model);
  model.predict(watched, execution, [&](const RowBlock<double>& predictions) {
    for (std::size_t i = 0; i < predictions.rows; ++i) {
      line.clear();
      append_prediction(line, model, predictions.values + i * predictions.stride, words);
      output.write(line);
    }
    count += predictions.rows;
  });
  output.finish();
  for (const std::string& warning : watched.warnings()) messages.say(warning);
  if (!words.output.empty()) messages.say(fmt::format("{} predictions in {}", count, words.output));
}

}  // namespace

void add_predict(CLI::App& app, Job& job) {
  CLI::App* command = app.add_subcommand("predict", "Predict the rows of a file, one line each");
  auto words = std::make_shared<PredictWords>();
  command->add_option("MODEL", words->model, "A file that `bochner train` saved")->required()->type_name("");
  command->add_option("FILE", words->file, "Rows; its target column may be absent")->required()->type_name("");
  command->add_option("-o,--output", words->output, "Where to write; default: stdout")->type_name("OUT");
  command->add_flag("--scores", words->scores,
                    "Classes: after the label the score of each class (of the second of two)");
  command->add_flag("--probabilities", words->probabilities,
                    "Logistic models: after the label the probability of each class");
  command->add_flag("--names", words->names, "Begin with a line that names the columns");
  words->format.add(*command);
  words->run.add(*command);
  command->footer(
      "Examples:\n"
      "  bochner predict cars.model new.csv -o prices.csv\n"
      "  bochner predict adult.model new.csv --scores --names | head\n"
      "A line holds the label, or the number; several targets have commas between. There is no heading without "
      "--names.\n"
      "What sets the rows apart from those of training (unknown levels, numbers far outside, missing cells) is said on "
      "stderr.");
  command->callback([words, &job] { job = [words] { run_predict(*words); }; });
}

}  // namespace bochner
