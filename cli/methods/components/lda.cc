// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/lda.h"

#include <fmt/format.h>

#include "bochner/figures.h"
#include "clock.h"
#include "commands.h"
#include "output.h"
#include "rows_words.h"

namespace bochner {

namespace {

struct LdaWords {
  std::vector<std::string> lambdas;
  MappedWords mapped;
};

void run_lda(const LdaWords& words) {
  Clock clock;
  Messages messages(words.mapped.rows.run.quiet);
  LdaOptions options{.features = words.mapped.options(messages)};
  for (const std::string& lambda : split_lists(words.lambdas))
    options.lambdas.push_back(parse_number("--lambda", lambda));
  const std::unique_ptr<Rows> rows = words.mapped.open();
  const Model model = lda(*rows, options);
  words.mapped.rows.save(model);
  const Report& report = model.report();
  const std::vector<double> ratios = figure_of(*model.head(), "ratios");
  messages.say(fmt::format("{} of {} of {} in {}: lambda {:.3g}, {:.2f} s", counted(ratios.size(), "discriminant"),
                           counted(report.rows, "row"), counted(report.features, "feature"), words.mapped.rows.output,
                           report.lambda, clock.lap()));
  messages.say(fmt::format("scatter between by scatter within classes: {:.4g} in the first, {:.4g} in the last",
                           ratios.front(), ratios.back()));
}

}  // namespace

void add_lda(Command& app, Job& job) {
  Command* command = app.add_subcommand("lda", "Find the directions that tell classes apart, and classify by them");
  auto words = std::make_shared<LdaWords>();
  words->mapped.add(*command, MappedWords::Targets::required, "Column of the classes, by name or index from 0");
  add_repeatable(*command, "--lambda", words->lambdas,
                 "Penalty of S_within / n + lambda I; several (a,b or again): the best; default: searched")
      ->type_name("L");
  command->footer(
      "Examples:\n"
      "  bochner lda digits.csv --target digit -o digits.lda\n"
      "  bochner eval digits.lda test.csv                               error, confusion, ...\n"
      "  bochner transform digits.lda new.csv -o coordinates.csv        at most classes - 1 numbers for each row\n"
      "  bochner lda digits.csv --target digit --map fourier --features 2000 -o digits.lda     kernel discriminant\n"
      "Without --map the features are the scaled inputs.");
  command->callback([words, &job] { job = [words] { run_lda(*words); }; });
}

}  // namespace bochner
