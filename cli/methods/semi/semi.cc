// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/semi.h"

#include <fmt/format.h>

#include "bochner/figures.h"
#include "clock.h"
#include "commands.h"
#include "output.h"
#include "require.h"
#include "rows_words.h"

namespace bochner {

namespace {

struct SemiWords {
  SemiOptions options;
  std::string learner = "ridge";
  std::vector<std::string> lambdas, graph_weights;
  MappedWords mapped;
};

SemiOptions options_of(const SemiWords& words) {
  SemiOptions options = words.options;
  for (const std::string& weight : split_lists(words.graph_weights))
    options.graph_weights.push_back(parse_number("--graph-weight", weight));
  std::vector<std::pair<const char*, Learner>> names;
  for (const LearnerRow& row : learners())
    if (!row.has_neighbors && !row.power) names.emplace_back(row.name, row.learner);
  options.learner.learner = parse_word<Learner>("--learner", words.learner, names);
  for (const std::string& lambda : split_lists(words.lambdas))
    options.learner.lambdas.push_back(parse_number("--lambda", lambda));
  options.learner.seed = words.mapped.seed;
  return options;
}

void run_semi(const SemiWords& words) {
  Clock clock;
  Messages messages(words.mapped.rows.run.quiet);
  SemiOptions options = options_of(words);
  options.features = words.mapped.options(messages);
  require(!words.mapped.rows.targets.empty(),
          "--target: found none, expected the column of which some cells are empty");
  const std::unique_ptr<Rows> rows = words.mapped.open();
  const Model model = semi_supervised(*rows, options);
  words.mapped.rows.save(model);
  const Report& report = model.report();
  const std::vector<double> graph = figure_of(*model.head(), "graph");
  messages.say(fmt::format("{} with a target of {} in {}: graph weight {:g}, lambda {:.3g}, {:.2f} s",
                           counted(std::size_t(graph[1]), "row"), report.rows, words.mapped.rows.output, graph[0],
                           report.lambda, clock.lap()));
  if (report.score) messages.say(fmt::format("{}: {}", report.validation, report.score->text()));
}

}  // namespace

void add_semi(Command& app, Job& job) {
  Command* command =
      app.add_subcommand("semi", "Learn from rows with a target and from rows whose target is not known");
  auto words = std::make_shared<SemiWords>();
  words->mapped.map = "nystroem";
  words->mapped.missing_targets = true;
  words->mapped.add(*command, MappedWords::Targets::required,
                    "Column to predict, by name or index from 0: its empty cells are not known");
  command
      ->add_option("--neighbors", words->options.neighbors,
                   "Neighbours of each row, which shall have like answers; default 10")
      ->type_name("K")
      ->between(1, 1000);
  add_repeatable(*command, "--graph-weight", words->graph_weights,
                 "What unlike answers of neighbours cost, beside |w|^2; several (a,b or again): the best; default: the "
                 "best of 0 and 0.1 to 100,000, each row with a target left out")
      ->type_name("W");
  command->add_option("--learner", words->learner, "ridge (default), svm, hard-svm, logistic, huber, svr or quantile")
      ->type_name("L");
  add_repeatable(*command, "--lambda", words->lambdas,
                 "Penalty of the coefficients; several (a,b or again): the best; default: searched")
      ->type_name("L");
  command->footer(
      "Examples:\n"
      "  bochner semi digits.csv --target digit -o digits.model         rows with an empty cell in the column digit "
      "train too\n"
      "  bochner predict digits.model digits.csv -o answers.csv         an answer for every row\n"
      "  bochner eval digits.model test.csv\n"
      "  bochner semi digits.csv --target digit --learner svm -o digits.model");
  command->callback([words, &job] { job = [words] { run_semi(*words); }; });
}

}  // namespace bochner
