// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/require.h"
#include "commands.h"
#include "model/new_rows.h"
#include "model/report_json.h"
#include "options.h"
#include "output.h"

namespace bochner {

namespace {

struct EvalWords {
  std::string model, file;
  bool json = false;
  RunOptions run;
  FileOptions format;
};

void run_eval(const EvalWords& words) {
  Messages messages(words.run.quiet);
  const Execution execution = words.run.execution(messages);
  const RowsOptions reading = words.format.rows(words.run);
  const Model model = load_model(words.model);
  const std::unique_ptr<Rows> rows = open_rows(words.file, model.schema(), reading);
  NewRows watched(*rows, model);
  const Score score = model.evaluate(watched, execution);
  for (const std::string& warning : watched.warnings()) messages.say(warning);
  if (score.rows == 0) fail(Error::Kind::data, "{}: has no rows, expected at least one", words.file);
  if (words.json)
    print_json(score_to_json(score));
  else
    print(score.text() + "\n");
}

}  // namespace

void add_eval(CLI::App& app, Job& job) {
  CLI::App* command = app.add_subcommand("eval", "Score a model on rows whose targets are known");
  auto words = std::make_shared<EvalWords>();
  command->add_option("MODEL", words->model, "A file that `bochner train` saved")->required()->type_name("");
  command->add_option("FILE", words->file, "Rows with their targets")->required()->type_name("");
  command->add_flag("--json", words->json, "One object: rows, and error or relative_error, rmse and r2");
  words->format.add(*command);
  words->run.add(*command);
  command->footer(
      "Examples:\n"
      "  bochner eval cars.model test.csv\n"
      "  bochner eval cars.model test.csv --json\n"
      "error is the fraction of rows with the wrong class; relative_error is |prediction - target| / |target|.");
  command->callback([words, &job] { job = [words] { run_eval(*words); }; });
}

}  // namespace bochner
