// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/mixture.h"
#include "clock.h"
#include "command_checkpoint.h"
#include "commands.h"
#include "output.h"
#include "require.h"
#include "rows_words.h"

namespace bochner {

namespace {

struct GmmWords {
  std::string components, covariance = "full", project, floor = "auto";
  MixtureOptions options;
  MappedWords mapped;
  CheckpointWords checkpoint;
};

std::string shape_text(const MixtureShape& shape) {
  return fmt::format("c-separation {:.3g}, eccentricity (largest by least eigenvalue) median {:.3g}, most {:.3g}",
                     shape.separation, shape.median_eccentricity, shape.eccentricity);
}

void say_mixture(const Model& model, const std::string& output, double seconds, Messages& messages) {
  const MixtureFacts facts = *mixture_facts(*model.head());
  messages.say(fmt::format("{} of {} in {}, {}, {:.2f} s", model.head()->spec(), counted(model.report().rows, "row"),
                           output, counted(facts.rounds, "round"), seconds));
  messages.say(
      fmt::format("log-likelihood {:.6g} a row{}; BIC {:.6g}, AIC {:.6g}; floor {:g} of the "
                  "variance",
                  facts.log_likelihood, facts.falls == 0 ? ", it never fell" : "", facts.bic, facts.aic, facts.floor));
  if (facts.shape) messages.say(shape_text(*facts.shape));
  if (facts.projected)
    messages.say(fmt::format("in {} dimensions: {}", facts.projected->inputs, shape_text(*facts.projected)));
}

void run_gmm(const Command& command, const GmmWords& words) {
  Clock clock;
  Messages messages(words.mapped.rows.run.quiet);
  MixtureOptions options = words.options;
  options.components = parse_count_or_auto("--components", words.components);
  options.covariance = parse_covariance_name(words.covariance);
  if (!words.project.empty()) options.project = parse_count_or_auto("--project", words.project);
  if (words.floor != "auto") options.floor = parse_number("--floor", words.floor);
  options.features = words.mapped.options(messages);
  if (!options.features.scale) options.features.scale = ColumnScaling::Method::none;
  const std::unique_ptr<Rows> rows = words.mapped.open();
  CommandCheckpoint checkpoint(
      command, words.checkpoint,
      {.inputs = {{"the data (by their hash)", words.mapped.rows.file}}, .output = words.mapped.rows.output});
  checkpoint.attach(options.features.execution, messages);
  const Model model = mixture(*rows, options);
  words.mapped.rows.save(model);
  checkpoint.remove();
  say_mixture(model, words.mapped.rows.output, clock.lap(), messages);
}

}  // namespace

void add_gmm(Command& app, Job& job) {
  Command* command = app.add_subcommand("gmm", "Learn a mixture of Gaussians, or one of each class");
  auto words = std::make_shared<GmmWords>();
  MixtureOptions& options = words->options;
  words->mapped.add(*command, MappedWords::Targets::optional,
                    "Column of classes: one mixture is learnt for each, and the model classifies");
  words->checkpoint.add(*command, "training");
  command->add_option("--components", words->components, "Gaussians of the mixture, or auto: by BIC on a sample")
      ->required()
      ->type_name("M");
  command->add_option("--covariance", words->covariance, "full (default), diag, spherical, tied or lowrank:R")
      ->type_name("C");
  command
      ->add_option("--project", words->project,
                   "Learn in a random projection of K dimensions, auto: 10 ln(components), and map it back")
      ->type_name("K");
  command->add_option("--projections", options.projections, "How many are tried; the likeliest is kept; default 3")
      ->type_name("N");
  command->add_option("--rounds-after", options.rounds_after, "Rounds of EM after mapping back, at most; default 0")
      ->type_name("N");
  command->add_option("--restarts", options.restarts, "Starts by k-means++ on a sample; default 4")->type_name("N");
  command->add_option("--rounds", options.rounds, "Rounds of EM, at most; default 200")->type_name("N");
  command->add_option("--tolerance", options.tolerance, "EM ends where a round gains less a row; default 1e-4")
      ->type_name("T");
  command
      ->add_option("--floor", words->floor,
                   "Least variance as a share of an input's; default auto: by rows held out of a sample")
      ->type_name("F");
  command->footer(
      "Examples:\n"
      "  bochner gmm cars.csv --components 5 -o cars.gmm\n"
      "  bochner predict cars.gmm new.csv                              the component of each row\n"
      "  bochner transform cars.gmm new.csv -o shares.csv              the share of each component in each row\n"
      "  bochner eval cars.gmm new.csv --json                          log_likelihood, mean of a row\n"
      "  bochner gmm digits.csv --target label --components 5 --project auto -o digits.gmm    a classifier\n"
      "  bochner gmm cars.csv --components auto --covariance diag -o cars.gmm\n"
      "Rows are taken as they are: the density is of the columns in their units, or of their features with --map or "
      "--scale.");
  command->callback([words, command, &job] { job = [words, command] { run_gmm(*command, *words); }; });
}

}  // namespace bochner
