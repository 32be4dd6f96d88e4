// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include "bochner/figures.h"
#include "bochner/ranking.h"
#include "bochner/split.h"
#include "clock.h"
#include "commands.h"
#include "output.h"
#include "require.h"
#include "rows_words.h"

namespace bochner {

namespace {

struct RankWords {
  std::string group, weights = "chosen";
  std::vector<std::string> lambdas;
  MappedWords mapped;
};

void run_rank(const RankWords& words) {
  Clock clock;
  Messages messages(words.mapped.rows.run.quiet);
  RankingOptions options;
  options.features = words.mapped.options(messages);
  options.weights = parse_word<RankingOptions::Weights>("--pairs", words.weights,
                                                        {{"chosen", RankingOptions::Weights::chosen},
                                                         {"same", RankingOptions::Weights::same},
                                                         {"ndcg", RankingOptions::Weights::ndcg}});
  for (const std::string& lambda : split_lists(words.lambdas))
    options.lambdas.push_back(parse_number("--lambda", lambda));
  const std::unique_ptr<Rows> rows = words.mapped.open();
  options.groups = row_groups(words.mapped.rows.file, rows->schema(), words.group,
                              words.mapped.rows.format.rows(words.mapped.rows.run));
  const Model model = ranking(*rows, options);
  words.mapped.rows.save(model);
  messages.say(fmt::format("{} of {} in {}: lambda {:.3g}, {:.2f} s", counted(model.report().rows, "row"),
                           counted(model.report().features, "feature"), words.mapped.rows.output, model.report().lambda,
                           clock.lap()));
}

}  // namespace

void add_rank(Command& app, Job& job) {
  Command* command = app.add_subcommand("rank", "Learn to put the answers to a query in order");
  auto words = std::make_shared<RankWords>();
  words->mapped.map = "nystroem";
  words->mapped.takes_weights = false;
  words->mapped.task = "regression";
  words->mapped.add(*command, MappedWords::Targets::required,
                    "Column of grades, numbers: the larger, the earlier; by name or index from 0");
  command->add_option("--group", words->group, "Column, no input, whose rows with the same cell answer one query")
      ->required()
      ->type_name("COLUMN");
  command
      ->add_option("--pairs", words->weights,
                   "What a pair of rows weighs: same, or ndcg (what the order of the two matters for NDCG); default: "
                   "chosen, by queries held out")
      ->type_name("W");
  add_repeatable(*command, "--lambda", words->lambdas,
                 "Penalty of the coefficients; several (a,b or again): the best; default: searched")
      ->type_name("L");
  command->footer(
      "Examples:\n"
      "  bochner rank answers.csv --target grade --group query -o answers.model\n"
      "  bochner eval answers.model test.csv --group query              NDCG@10, pairs in order\n"
      "  bochner predict answers.model new.csv                          a score for each row: compare those of a "
      "query\n"
      "--map none is a linear machine; --bandwidth auto finds a length scale for each input, which takes longer.");
  command->callback([words, &job] {
    words->mapped.rows.columns.ignore.push_back("\"" + words->group + "\"");
    job = [words] { run_rank(*words); };
  });
}

}  // namespace bochner
