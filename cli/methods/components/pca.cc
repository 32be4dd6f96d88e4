// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/pca.h"

#include <numeric>

#include "bochner/figures.h"
#include "bochner/mds.h"
#include "clock.h"
#include "commands.h"
#include "output.h"
#include "require.h"
#include "rows_words.h"

namespace bochner {

namespace {

struct PcaWords {
  std::size_t rank = 0, passes = 0;
  bool distances = false;
  Word* passes_given = nullptr;
  MappedWords mapped;
};

// Coordinates from distances to landmarks, which are the columns.
void run_scaling(const PcaWords& words, const PcaOptions& options, Messages& messages) {
  Clock clock;
  require(words.mapped.map == "none" && words.mapped.scales.empty() && words.passes_given->count() == 0 &&
              words.mapped.rows.weights.empty(),
          "--distances: found --map, --scale, --passes or --weights too; leave them out");
  const std::unique_ptr<Rows> rows = words.mapped.open();
  const Model model = mds(*rows, {.rank = options.rank, .execution = options.features.execution});
  words.mapped.rows.save(model);
  const std::vector<double> shares = figure_of(*model.head(), "shares");
  messages.say(fmt::format("{} of {} by {} in {}, {:.2f} s", counted(words.rank, "coordinate"),
                           counted(model.report().rows, "row"), counted(model.schema().inputs, "landmark"),
                           words.mapped.rows.output, clock.lap()));
  messages.say(fmt::format("they hold {:.4g} % of the sizes of all eigenvalues",
                           100 * std::accumulate(shares.begin(), shares.end(), 0.0)));
}

void run_pca(const PcaWords& words) {
  Clock clock;
  Messages messages(words.mapped.rows.run.quiet);
  require(words.rank >= 1, "--rank: found 0, expected 1 or more");
  PcaOptions options{.rank = words.rank, .features = words.mapped.options(messages)};
  if (words.distances) return run_scaling(words, options, messages);
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
  command->add_flag(
      "--distances", words->distances,
      "The columns are distances to landmarks, which are the first rows: metric multidimensional scaling");
  command->footer(
      "Examples:\n"
      "  bochner pca cars.csv --target price --rank 3 -o cars.pca\n"
      "  bochner transform cars.pca new.csv -o components.csv           3 numbers for each row\n"
      "  bochner inspect cars.pca --json                                explained_variance_ratio\n"
      "  bochner pca cars.csv --rank 3 --map fourier --features 2000 -o cars.kpca     kernel PCA\n"
      "  bochner pca roads.csv --distances --rank 2 -o places.mds       n rows of n distances\n"
      "Without --map the components are those of the scaled inputs; --scale none takes them as they are.\n"
      "transform --inverse leads back to the inputs where the map has a way back: none and project have.");
  command->callback([words, &job] { job = [words] { run_pca(*words); }; });
}

}  // namespace bochner
