// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/cca.h"

#include <fmt/format.h>

#include "bochner/figures.h"
#include "clock.h"
#include "commands.h"
#include "output.h"
#include "rows_words.h"

namespace bochner {

namespace {

struct CcaWords {
  std::size_t rank = 0;
  std::vector<std::string> lambdas;
  MappedWords mapped;
};

void run_cca(const CcaWords& words) {
  Clock clock;
  Messages messages(words.mapped.rows.run.quiet);
  CcaOptions options{.rank = words.rank, .features = words.mapped.options(messages)};
  for (const std::string& lambda : split_lists(words.lambdas))
    options.lambdas.push_back(parse_number("--lambda", lambda));
  const std::unique_ptr<Rows> rows = words.mapped.open();
  const Model model = cca(*rows, options);
  words.mapped.rows.save(model);
  const Report& report = model.report();
  const std::vector<double> correlations = figure_of(*model.head(), "correlations");
  messages.say(fmt::format("{} of {} of {} in {}: lambda {:.3g}, {:.2f} s", counted(correlations.size(), "pair"),
                           counted(report.rows, "row"), counted(report.features, "feature"), words.mapped.rows.output,
                           report.lambda, clock.lap()));
  std::string line = "correlations of the training rows:";
  for (std::size_t k = 0; k < std::min<std::size_t>(correlations.size(), 10); ++k)
    line += fmt::format(" {:.4f}", correlations[k]);
  messages.say(line + (correlations.size() > 10 ? " ..." : ""));
}

}  // namespace

void add_cca(Command& app, Job& job) {
  Command* command = app.add_subcommand("cca", "Find what inputs and other columns have in common");
  auto words = std::make_shared<CcaWords>();
  words->mapped.add(*command, MappedWords::Targets::required,
                    "Columns of the other view, by name or index from 0: a,b or again");
  command->add_option("--rank", words->rank, "How many pairs of directions; default: as many as columns")
      ->type_name("R")
      ->positive();
  add_repeatable(*command, "--lambda", words->lambdas,
                 "Penalty of C_xx + lambda I; several (a,b or again): the best; default: searched")
      ->type_name("L");
  command->footer(
      "Examples:\n"
      "  bochner cca cars.csv --target price,power -o cars.cca\n"
      "  bochner inspect cars.cca --json                        correlations, target_directions\n"
      "  bochner transform cars.cca new.csv -o coordinates.csv  of the inputs, one number for each pair\n"
      "  bochner cca cars.csv --target price,power --map fourier -o cars.cca     kernel CCA of the inputs\n"
      "The inputs are one view, the columns of --target the other. Without --map the features are the scaled inputs.");
  command->callback([words, &job] { job = [words] { run_cca(*words); }; });
}

}  // namespace bochner
