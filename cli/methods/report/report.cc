// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <filesystem>
#include <nlohmann/json.hpp>

#include "bochner/insight.h"
#include "bochner/json.h"
#include "bochner/new_rows.h"
#include "commands.h"
#include "options.h"
#include "output.h"
#include "require.h"

namespace bochner {

namespace {

struct ReportWords {
  std::string model, file, output, title;
  bool json = false, unweighted = false;
  InsightOptions options;
  RunOptions run;
  FileOptions format;
};

std::string name_of(const std::string& path) { return std::filesystem::path(path).filename().string(); }

void run_report(const ReportWords& words) {
  Messages messages(words.run.quiet);
  const Execution execution = words.run.execution(messages);
  require(!words.json || words.output.empty(), "-o: found with --json, which goes to stdout; expected one of them");
  require(words.json || !words.output.empty(),
          "-o: found none, expected a file for the page, such as report.html; or --json");
  require(!is_pipe(words.file), "{}: is a pipe, which can be read only once; store the rows in a file", words.file);
  const RowsOptions reading = words.format.rows(words.run);
  const Model model = load_model(words.model);
  if (!words.output.empty()) check_output(words.output, {words.model, words.file});
  const std::unique_ptr<Rows> rows = open_rows(words.file, model.schema(), reading);
  InsightOptions options = words.options;
  options.by_weight = !words.unweighted;
  const Insight insight = look_into(model, *rows, options, execution);
  for (const std::string& note : insight.notes) messages.say(note);
  if (words.json) {
    nlohmann::json tree = nlohmann::json::parse(json_text(insight));
    tree["model"] = words.model;
    tree["rows"] = words.file;
    tree["report"] = nlohmann::json::parse(json_text(model.report()));
    print_json(tree);
    return;
  }
  const std::string title =
      words.title.empty() ? fmt::format("{} on {}", name_of(words.model), name_of(words.file)) : words.title;
  Output output(words.output);
  output.write(html_page(model, insight, title));
  output.finish();
  if (!is_stdout(words.output)) messages.say(fmt::format("{} in {}", insight.evaluation.score.text(), words.output));
}

}  // namespace

void add_report(Command& app, Job& job) {
  Command* command = app.add_subcommand("report", "Make a page of what a model does: score, importance, certainty");
  auto words = std::make_shared<ReportWords>();
  command->add_option("MODEL", words->model, "A file that `bochner train` saved")->required()->type_name("");
  command->add_option("FILE", words->file, "Rows with their targets, best some that the training did not see")
      ->required()
      ->type_name("");
  command->add_option("-o,--output", words->output, "Where to write the page; -: stdout")->type_name("OUT");
  command->add_flag("--json", words->json, "The numbers behind it instead, on stdout");
  command->add_option("--title", words->title, "Title of the page; default: the names of the files")->type_name("TEXT");
  command->add_option("--sample", words->options.sample, "Rows that columns are shuffled among; default 2000")
      ->type_name("N")
      ->between(2, 1000000);
  command->add_option("--seed", words->options.seed, "Seed of the sample and the shuffles")->type_name("N");
  command->add_flag("--unweighted", words->unweighted, "Every row counts once, though the file has weights");
  words->format.add(*command);
  words->run.add(*command);
  command->footer(
      "Examples:\n"
      "  bochner report cars.model test.csv -o report.html\n"
      "  bochner report cars.model test.csv --json\n"
      "One page with its pictures inside: score and baseline, what each column matters (its values shuffled), how "
      "sure\n"
      "the model is, what it mistakes for what, how it answers over the columns that matter most, and how it was "
      "made.");
  command->callback([words, &job] { job = [words] { run_report(*words); }; });
}

}  // namespace bochner
