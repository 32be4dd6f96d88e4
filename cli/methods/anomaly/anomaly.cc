// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/anomaly.h"

#include "bochner/figures.h"
#include "clock.h"
#include "commands.h"
#include "output.h"
#include "require.h"
#include "rows_words.h"

namespace bochner {

namespace {

struct AnomalyWords {
  std::string method = "embedding", rate = "0.01", normal, components, covariance;
  MappedWords mapped;
};

void run_anomaly(const AnomalyWords& words) {
  using Method = AnomalyOptions::Method;
  Clock clock;
  Messages messages(words.mapped.rows.run.quiet);
  AnomalyOptions options;
  options.method = parse_word<Method>("--method", words.method,
                                      {{"embedding", Method::embedding},
                                       {"bins", Method::bins},
                                       {"isolation", Method::isolation},
                                       {"mixture", Method::mixture}});
  const bool mixture = options.method == Method::mixture;
  require(mixture || (words.components.empty() && words.covariance.empty()),
          "--{}: found with --method {}, expected --method mixture",
          words.components.empty() ? "covariance" : "components", words.method);
  if (!words.components.empty()) options.components = parse_count_or_auto("--components", words.components);
  if (!words.covariance.empty()) options.covariance = parse_covariance_name(words.covariance);
  options.rate = parse_number("--rate", words.rate);
  require(options.rate > 0 && options.rate < 1, "--rate: found {}, expected a share between 0 and 1", words.rate);
  options.normal = words.normal;
  options.features = words.mapped.options(messages);
  const std::unique_ptr<Rows> rows = words.mapped.open();
  const Model model = anomaly(*rows, options);
  words.mapped.rows.save(model);
  const Report& report = model.report();
  messages.say(fmt::format("density of {} by {} in {}, {:.2f} s", counted(report.rows, "row"), words.method,
                           words.mapped.rows.output, clock.lap()));
  messages.say(fmt::format("scores above {:.6g} are anomalies: {:g} % of rows like these",
                           figure_of(*model.head(), "threshold").front(), 100 * options.rate));
}

}  // namespace

void add_anomaly(Command& app, Job& job) {
  Command* command = app.add_subcommand("anomaly", "Learn which rows are unlike the others");
  auto words = std::make_shared<AnomalyWords>();
  words->mapped.add(*command, MappedWords::Targets::optional,
                    "Column of labels, which is no input: eval holds the scores against it");
  command
      ->add_option("--method", words->method,
                   "embedding (default): the mean kernel to the rows; bins: how full a row's bins are in random grids; "
                   "isolation: how few random cuts part it from others; mixture: a density of Gaussians")
      ->type_name("M");
  command->add_option("--components", words->components, "mixture: Gaussians, or auto (default): by BIC on a sample")
      ->type_name("M");
  command->add_option("--covariance", words->covariance, "mixture: full (default), diag, spherical, tied or lowrank:R")
      ->type_name("C");
  command->add_option("--rate", words->rate, "The share of rows that counts as anomalies; default 0.01")
      ->type_name("SHARE");
  command->add_option("--normal", words->normal, "Label of the rows that are no anomalies; default: the most frequent")
      ->type_name("LABEL");
  command->footer(
      "Examples:\n"
      "  bochner anomaly visits.csv --rate 0.01 -o visits.anomaly\n"
      "  bochner predict visits.anomaly new.csv --names                 score,anomaly: larger is rarer; 1 or 0\n"
      "  bochner anomaly visits.csv --target attack --normal no --method bins -o visits.anomaly\n"
      "  bochner eval visits.anomaly labelled.csv --json                auc, error, f1, ...\n"
      "embedding without --map takes Fourier features; --features of bins are the grids, 200; of isolation the trees, "
      "100.");
  command->callback([words, &job] { job = [words] { run_anomaly(*words); }; });
}

}  // namespace bochner
