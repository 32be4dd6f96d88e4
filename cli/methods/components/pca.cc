// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/pca.h"

#include <numeric>

#include "bochner/figures.h"
#include "clock.h"
#include "commands.h"
#include "output.h"
#include "require.h"
#include "rows_words.h"

namespace bochner {

namespace {

struct PcaWords {
  std::size_t rank = 0, passes = 0;
  Word* passes_given = nullptr;
  MappedWords mapped;
};

void run_pca(const PcaWords& words) {
  Clock clock;
  Messages messages(words.mapped.rows.run.quiet);
  require(words.rank >= 1, "--rank: found 0, expected 1 or more");
  PcaOptions options{.rank = words.rank, .features = words.mapped.options(messages)};
  if (words.passes_given->count()) {
    require(words.passes >= 1 && words.passes <= 1000, "--passes: found {}, expected 1 to 1000", words.passes);
    options.passes = words.passes;
  }
  const std::unique_ptr<Rows> rows = words.mapped.open();
  const Model model = pca(*rows, options);
  words.mapped.rows.save(model);
  const Report& report = model.report();
  const std::vector<double> shares = figure_of(*model.head(), "explained_variance_ratio");
  messages.say(fmt::format("{} of {} of {} in {}, {:.2f} s", counted(words.rank, "component"),
                           counted(report.rows, "row"), counted(report.features, "feature"), words.mapped.rows.output,
                           clock.lap()));
  messages.say(fmt::format("they hold {:.4g} % of the variance, the first {:.4g} %",
                           100 * std::accumulate(shares.begin(), shares.end(), 0.0), 100 * shares[0]));
}

}  // namespace

void add_pca(Command& app, Job& job) {
  Command* command = app.add_subcommand("pca", "Find principal components of rows, or of their features in a kernel");
  auto words = std::make_shared<PcaWords>();
  words->mapped.add(*command);
  command->add_option("--rank", words->rank, "How many components")->required()->type_name("R");
  words->passes_given =
      command
          ->add_option("--passes", words->passes,
                       "Passes over the rows where there are more than 4096 features; default: until they bring little")
          ->type_name("Q");
  command->footer(
      "Examples:\n"
      "  bochner pca cars.csv --target price --rank 3 -o cars.pca\n"
      "  bochner transform cars.pca new.csv -o components.csv           3 numbers for each row\n"
      "  bochner inspect cars.pca --json                                explained_variance_ratio\n"
      "  bochner pca cars.csv --rank 3 --map fourier --features 2000 -o cars.kpca     kernel PCA\n"
      "Without --map the components are those of the scaled inputs; --scale none takes them as they are.\n"
      "transform --inverse leads back to the inputs where the map has a way back: none and project have.");
  command->callback([words, &job] { job = [words] { run_pca(*words); }; });
}

}  // namespace bochner
