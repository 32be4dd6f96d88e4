// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/sample.h"

#include <algorithm>

#include "commands.h"
#include "csv_line.h"
#include "options.h"
#include "output.h"
#include "require.h"

namespace bochner {

namespace {

struct SampleWords {
  std::string model, output;
  std::size_t rows = 0;
  std::uint64_t seed = 0;
  bool quiet = false;
};

// The columns of the file that the model learnt from, less those it did not look at.
std::string heading(const Schema& schema, bool classes) {
  std::string line;
  for (const Column& column : schema.columns) {
    const bool input = column.kind == Column::Kind::numeric || column.kind == Column::Kind::category;
    if (!input && !(classes && column.kind == Column::Kind::target)) continue;
    if (!line.empty()) line += ',';
    append_cell(line, column.name);
  }
  return line + '\n';
}

std::string row_line(const Schema& schema, const double* inputs, const std::string* label) {
  std::string line;
  auto next = [&line, first = true]() mutable {
    if (!first) line += ',';
    first = false;
  };
  for (const Column& column : schema.columns) {
    if (column.kind == Column::Kind::numeric) {
      next();
      const double value = *inputs++;
      if (column.marked && *inputs++ > 0) continue;
      if (column.dates == Column::Dates::none)
        append_number(line, value);
      else
        line += date_text(value);
    } else if (column.kind == Column::Kind::category) {
      next();
      for (const std::string& level : column.levels)
        if (*inputs++ > 0) append_cell(line, level);
    } else if (label && column.kind == Column::Kind::target) {
      next();
      append_cell(line, *label);
    }
  }
  return line + '\n';
}

void run_sample(const SampleWords& words) {
  Messages messages(words.quiet);
  require(words.rows > 0, "--rows: found 0, expected 1 or more");
  const Model model = load_model(words.model);
  const Schema& schema = model.schema();
  check_output(words.output, {words.model});
  const SampledRows made = sample_rows_of(model, words.rows, words.seed);
  const bool classes = !made.classes.empty(), named = !schema.columns.empty();
  Output output(words.output);
  if (named && schema.header) output.write(heading(schema, classes));
  for (std::size_t i = 0; i < words.rows; ++i) {
    const std::string* label = classes ? &schema.labels[made.classes[i]] : nullptr;
    const double* row = made.inputs.view().row(i);
    if (named) {
      output.write(row_line(schema, row, label));
      continue;
    }
    std::string line;
    for (std::size_t j = 0; j < made.inputs.cols(); ++j) {
      if (j > 0) line += ',';
      append_number(line, row[j]);
    }
    if (label) append_cell(line += ',', *label);
    output.write(line + '\n');
  }
  output.finish();
  if (!is_stdout(words.output)) messages.say(fmt::format("{} in {}", counted(words.rows, "drawn row"), words.output));
}

}  // namespace

void add_sample(Command& app, Job& job) {
  Command* command = app.add_subcommand("sample", "Draw new rows from a mixture");
  auto words = std::make_shared<SampleWords>();
  command->add_option("MODEL", words->model, "A file that `bochner gmm` saved")->required()->type_name("");
  command->add_option("-n,--rows", words->rows, "How many")->required()->type_name("N");
  command->add_option("--seed", words->seed, "The same seed gives the same rows; default 0")->type_name("N");
  command->add_option("-o,--output", words->output, "Where to write: .csv or .csv.gz; default, and -: stdout")
      ->type_name("OUT");
  command->add_flag("-q,--quiet", words->quiet, "No messages");
  command->footer(
      "Examples:\n"
      "  bochner gmm cars.csv --components 5 -o cars.gmm\n"
      "  bochner sample cars.gmm --rows 1000 -o made.csv\n"
      "Columns are those the model learnt from, in the units of the file; a model of classes draws these too.");
  command->callback([words, &job] { job = [words] { run_sample(*words); }; });
}

}  // namespace bochner
