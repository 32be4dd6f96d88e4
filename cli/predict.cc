// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <utility>

#include "bochner/new_rows.h"
#include "commands.h"
#include "csv_line.h"
#include "options.h"
#include "output.h"
#include "require.h"
#include "sequences.h"

namespace bochner {

namespace {

struct PredictWords {
  std::string model, file, output;
  std::vector<std::string> keep;
  std::string interval, threshold;
  std::optional<double> level;  // the interval's level
  std::optional<double> least;  // probability of the second of two classes that makes it the answer
  bool scores = false, probabilities = false, deviation = false, names = false;
  RunOptions run;
  FileOptions format;
};

bool is_clusters(const Model& model) { return model.puts_out().kind == Outputs::Kind::clusters; }
// Whether a line begins with the one that wins: a class by its label, a cluster by its number from 0.
bool has_label(const Model& model) { return model.puts_out().of_classes() || is_clusters(model); }
std::size_t winner(const Model& model, const double* values) {
  return std::size_t(std::max_element(values, values + model.outputs()) - values);
}
// Whether the outputs themselves go out: of classes and clusters only where they are asked for.
bool has_numbers(const Model& model, const PredictWords& words) { return words.scores || !has_label(model); }

// The names of what a line holds, for --names: no spaces, so that they serve as names of columns elsewhere.
std::string heading(const Model& model, const PredictWords& words, const KeptCells& kept) {
  const Schema& schema = model.schema();
  const Outputs& out = model.puts_out();
  std::vector<std::string> names = kept.names;
  const auto answer = [&](const std::string& name) {  // a kept column, as the target itself, may have its name
    const bool kept_too = std::find(kept.names.begin(), kept.names.end(), name) != kept.names.end();
    names.push_back(kept_too ? "predicted:" + name : name);
  };
  if (out.of_classes()) answer(schema.target_names()[0]);
  if (is_clusters(model)) answer("cluster");
  for (std::size_t k = 0; k < model.outputs() && has_numbers(model, words); ++k)
    has_label(model) ? names.push_back("score:" + out.names[k]) : answer(out.names[k]);
  for (std::size_t k = 0; k < model.outputs() && words.deviation; ++k) names.push_back("deviation:" + out.names[k]);
  for (std::size_t k = 0; k < model.outputs() && words.level; ++k)
    for (const char* side : {"lower:", "upper:"}) names.push_back(side + out.names[k]);
  if (words.probabilities)
    for (const std::string& label : schema.labels) names.push_back("probability:" + label);
  std::string line;
  for (std::size_t i = 0; i < names.size(); ++i) append_cell(line += i ? "," : "", names[i]);
  return line + "\n";
}

// The numbers of a row that go out after its label. values: the outputs, and their deviations where these go out.
std::vector<double> numbers_of(const Model& model, const double* values, const PredictWords& words) {
  std::vector<double> numbers;
  if (has_numbers(model, words)) numbers.assign(values, values + model.outputs());
  if (words.deviation) numbers.insert(numbers.end(), values + model.outputs(), values + 2 * model.outputs());
  for (std::size_t k = 0; k < model.outputs() && words.level; ++k) {
    const auto [lower, upper] = model.intervals()->around(values[k], *words.level, k);
    numbers.insert(numbers.end(), {lower, upper});
  }
  if (!words.probabilities) return numbers;
  const std::vector<double> chances = model.probabilities(values);
  numbers.insert(numbers.end(), chances.begin(), chances.end());
  return numbers;
}

void append_prediction(std::string& line, const Model& model, const double* values, const PredictWords& words) {
  if (words.least)
    append_cell(line, model.schema().labels[model.probabilities(values)[1] >= *words.least ? 1 : 0]);
  else if (model.puts_out().of_classes())
    append_cell(line, model.label(values));
  if (is_clusters(model)) line += std::to_string(winner(model, values));
  bool first = !has_label(model);
  for (const double number : numbers_of(model, values, words)) {
    if (!std::exchange(first, false)) line += ',';
    append_number(line, number);
  }
  line += '\n';
}

void check_words(const PredictWords& words, const Model& model) {
  const bool classes = model.puts_out().of_classes();
  require(!words.probabilities || classes, "--probabilities: the model puts out {}, expected classes; use {}",
          is_clusters(model) ? "clusters" : "values", is_clusters(model) ? "--scores" : "--interval or --deviation");
  require(!words.probabilities || model.has_probabilities(),
          "--probabilities: the scores of {} are no probabilities; train with --calibrate or --learner logistic",
          model.report().learner);
  if (words.least) {
    require(classes && model.schema().labels.size() == 2 && model.has_probabilities() && !is_of_sequences(model),
            "--threshold: expected a model of two classes that has probabilities; train with --calibrate or the "
            "automatic machine");
    require(*words.least > 0 && *words.least < 1, "--threshold: found {}, expected a probability between 0 and 1",
            *words.least);
  }
  if (words.deviation) {
    require(!classes, "--deviation: the model puts out classes, expected values; use --probabilities");
    require(model.has_deviation(),
            "--deviation: the model has none; train with --deviation (ridge), --calibrate or the automatic machine");
  }
  if (words.level) {
    require(!classes, "--interval: the model puts out classes, expected values; use --probabilities");
    require(model.intervals().has_value(), "--interval: the model has no intervals; train with --calibrate or --auto");
    require(
        *words.level > 0 && *words.level <= model.intervals()->greatest_level(),
        "--interval: found {}, expected a share above 0 and at most {:.4f}: the intervals are from {:.0f} rows held "
        "out",
        *words.level, model.intervals()->greatest_level(), model.intervals()->rows);
  }
  if (!words.output.ends_with(".npy")) return check_text_name(words.output);
  require(words.keep.empty() && !words.names,
          "{}: .npy holds numbers only; leave out --keep and --names, or write .csv", words.output);
  require(!classes || words.scores || words.probabilities,
          "{}: .npy holds numbers only and labels are text; add --scores or --probabilities, or write .csv",
          words.output);
  require(
      !is_pipe(words.file),
      "{}: the shape stands first in a .npy file and a pipe can be read only once; write .csv, or store the rows in "
      "a file",
      words.output);
}

// visit(values) as numbers_of() takes them.
void predict_rows(const Model& model, Rows& rows, const Execution& execution, const PredictWords& words,
                  const Model::Visit& visit) {
  words.deviation ? model.predict_with_deviation(rows, execution, visit) : model.predict(rows, execution, visit);
}

// As float64: the label of a class is left out, the number of a cluster is not.
std::size_t write_npy(const Model& model, Rows& rows, std::size_t count, const Execution& execution,
                      const PredictWords& words, Output& output) {
  const bool scores = has_numbers(model, words), clusters = is_clusters(model);
  output.write(npy_header("<f8", count,
                          (clusters ? 1 : 0) + (scores ? model.outputs() : 0) +
                              (words.deviation ? model.outputs() : 0) + (words.level ? 2 * model.outputs() : 0) +
                              (words.probabilities ? model.schema().labels.size() : 0)));
  predict_rows(model, rows, execution, words, [&](const RowBlock<double>& predictions) {
    for (std::size_t i = 0; i < predictions.rows; ++i) {
      const double* const values = predictions.values + i * predictions.stride;
      std::vector<double> numbers = numbers_of(model, values, words);
      if (clusters) numbers.insert(numbers.begin(), double(winner(model, values)));
      output.write({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)});
    }
  });
  return count;
}

std::size_t write_text(const Model& model, Rows& rows, const Execution& execution, const PredictWords& words,
                       KeptCells& kept, Output& output) {
  if (words.names) output.write(heading(model, words, kept));
  std::size_t count = 0;
  std::string line;
  predict_rows(model, rows, execution, words, [&](const RowBlock<double>& predictions) {
    for (std::size_t i = 0; i < predictions.rows; ++i) {
      line.clear();
      if (!kept.columns.empty()) {
        line = kept.lines.front() + ",";
        kept.lines.pop_front();
      }
      append_prediction(line, model, predictions.values + i * predictions.stride, words);
      output.write(line);
    }
    count += predictions.rows;
  });
  return count;
}

void run_predict(PredictWords words) {
  if (!words.interval.empty()) words.level = parse_number("--interval", words.interval);
  if (!words.threshold.empty()) words.least = parse_number("--threshold", words.threshold);
  Messages messages(words.run.quiet);
  const Execution execution = words.run.execution(messages);
  KeptCells kept{.columns = split_lists(words.keep)};
  RowsOptions reading = words.format.rows(words.run);
  reading.target_required = false;
  if (!kept.columns.empty()) reading.kept = &kept;
  const Model model = load_model(words.model);
  check_words(words, model);
  check_output(words.output, {words.model, words.file});
  if (is_of_sequences(model)) {
    require(words.keep.empty(), "--keep: the model answers for sequences of rows, which have no cells to keep");
    const std::size_t count =
        write_sequences(model, {words.file, words.output, words.scores, words.names}, reading, execution);
    if (!is_stdout(words.output)) messages.say(fmt::format("{} in {}", counted(count, "prediction"), words.output));
    return;
  }
  const std::unique_ptr<Rows> rows = open_rows(words.file, model.schema(), reading);

  Output output(words.output);
  NewRows watched(*rows, model);
  const std::size_t count = words.output.ends_with(".npy")
                                ? write_npy(model, watched, count_rows(*rows), execution, words, output)
                                : write_text(model, watched, execution, words, kept, output);
  output.finish();
  for (const std::string& warning : watched.warnings()) messages.say(warning);
  if (!is_stdout(words.output)) messages.say(fmt::format("{} in {}", counted(count, "prediction"), words.output));
}

}  // namespace

void add_predict(Command& app, Job& job) {
  Command* command = app.add_subcommand("predict", "Predict the rows of a file, one line each");
  auto words = std::make_shared<PredictWords>();
  command->add_option("MODEL", words->model, "A file that `bochner train` saved")->required()->type_name("");
  command->add_option("FILE", words->file, kRowsHelp)->required()->type_name("");
  command->add_option("-o,--output", words->output, "Where to write: text, .gz or .npy; default, and -: stdout")
      ->type_name("OUT");
  command->add_flag("--scores", words->scores,
                    "Classes: after the label the score of each class (of the second of two)");
  command->add_flag("--probabilities", words->probabilities,
                    "Calibrated and logistic models: after the label the probability of each class");
  command
      ->add_option("--threshold", words->threshold,
                   "Two classes with probabilities: answer the second where its probability is at least this; `eval` "
                   "prints what thresholds do. Default: the larger score")
      ->type_name("P");
  command->add_flag("--deviation", words->deviation,
                    "Numbers, of models trained with --deviation or calibrated: after the values the standard "
                    "deviation of each");
  command
      ->add_option("--interval", words->interval,
                   "Calibrated models of numbers: after the values the ends of intervals that hold this share, such as "
                   "0.9, of rows like those of training")
      ->type_name("SHARE");
  add_repeatable(*command, "--keep", words->keep,
                 "Column of the file to carry along, before the prediction: by name or index; several: a,b or again")
      ->type_name("COLUMN");
  command->add_flag("--names", words->names, "Begin with a line that names the columns");
  words->format.add(*command);
  words->run.add(*command);
  command->footer(
      "Examples:\n"
      "  bochner predict cars.model new.csv -o prices.csv\n"
      "  bochner predict adult.model new.csv --keep id --scores --names | head\n"
      "  bochner predict churn.model new.csv --threshold 0.1 --probabilities\n"
      "  bochner predict cars.model new.csv --interval 0.9 --names\n"
      "  bochner predict cars.model new.csv --deviation --names\n"
      "  zcat new.csv.gz | bochner predict cars.model - > prices.csv\n"
      "A line holds the label, or the number; several targets have commas between. There is no heading without "
      "--names.\n"
      "What sets the rows apart from those of training (unknown levels, numbers far outside, missing cells) is said on "
      "stderr.");
  command->callback([words, &job] { job = [words] { run_predict(*words); }; });
}

}  // namespace bochner
