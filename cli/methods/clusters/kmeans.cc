// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/kmeans.h"

#include "bochner/figures.h"
#include "clock.h"
#include "command_checkpoint.h"
#include "commands.h"
#include "output.h"
#include "require.h"
#include "rows_words.h"

namespace bochner {

namespace {

struct KMeansWords {
  KMeansOptions options;
  MappedWords mapped;
  CheckpointWords checkpoint;
};

void run_kmeans(const Command& command, const KMeansWords& words) {
  Clock clock;
  Messages messages(words.mapped.rows.run.quiet);
  KMeansOptions options = words.options;
  require(options.clusters >= 1, "--clusters: found 0, expected 1 or more");
  options.features = words.mapped.options(messages);
  const std::unique_ptr<Rows> rows = words.mapped.open();
  CommandCheckpoint checkpoint(
      command, words.checkpoint,
      {.inputs = {{"the data (by their hash)", words.mapped.rows.file}}, .output = words.mapped.rows.output});
  checkpoint.attach(options.features.execution, messages);
  const Model model = kmeans(*rows, options);
  words.mapped.rows.save(model);
  checkpoint.remove();
  const Report& report = model.report();
  const std::vector<double> inertia = figure_of(*model.head(), "inertia");
  messages.say(fmt::format("{} of {} of {} in {}: {}, {:.2f} s", counted(model.outputs(), "cluster"),
                           counted(report.rows, "row"), counted(report.features, "feature"), words.mapped.rows.output,
                           counted(inertia.size() - 1, "pass"), clock.lap()));
  std::string line = fmt::format("inertia {:.6g}, of the first pass {:.6g}", inertia.back(), inertia.front());
  if (const auto silhouette = figure_of(*model.head(), "silhouette"); !silhouette.empty())
    line += fmt::format("; silhouette of a sample {:.3f}", silhouette.front());
  messages.say(line);
}

}  // namespace

void add_kmeans(Command& app, Job& job) {
  Command* command = app.add_subcommand("kmeans", "Find clusters of rows, or of their features in a kernel");
  auto words = std::make_shared<KMeansWords>();
  words->mapped.add(*command);
  words->checkpoint.add(*command, "training");
  command->add_option("--clusters", words->options.clusters, "How many clusters")->required()->type_name("K");
  command
      ->add_option("--restarts", words->options.restarts,
                   "Starts on a sample of the rows, of which the best goes on; default 3")
      ->type_name("N")
      ->between(1, 1000);
  command->add_option("--passes", words->options.most_passes, "Most passes over all rows; default 300")
      ->type_name("N")
      ->between(1, 1000000);
  command->footer(
      "Examples:\n"
      "  bochner kmeans cars.csv --target price --clusters 8 -o cars.clusters\n"
      "  bochner predict cars.clusters new.csv                          the cluster of each row, from 0\n"
      "  bochner transform cars.clusters new.csv -o scores.csv          minus the squared distance to each centre\n"
      "  bochner kmeans cars.csv --clusters 8 --map fourier --features 2000 -o cars.clusters     kernel k-means\n"
      "Without --map the clusters are those of the scaled inputs; --scale none takes them as they are.\n"
      "Clusters are numbered by their weight: 0 is the heaviest. inspect --json has inertia, weights and silhouette.");
  command->callback([words, command, &job] { job = [words, command] { run_kmeans(*command, *words); }; });
}

}  // namespace bochner
