// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/mixture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/option.h"
#include "base/require.h"
#include "learn/score.h"
#include "methods/mixtures/fit.h"
#include "methods/mixtures/mixture_map.h"
#include "model/mapped_rows.h"
#include "run/stoppable.h"

namespace bochner {

namespace {

constexpr std::size_t kSample = 20000;     // rows that starts are found on
constexpr double kLeastPrior = 1e-12;      // prior of a class whose rows weigh nothing
constexpr std::size_t kMostShaped = 1024;  // inputs whose covariances' eigenvalues are reported

void check_options(const MixtureOptions& options) {
  require(options.tolerance >= 0, "tolerance: found {}, expected 0 or more", options.tolerance);
  require(options.rounds >= 1, "rounds: found 0, expected 1 or more");
  require(options.components <= 100000, "components: found {}, expected at most 100000", options.components);
}

MixtureSample sample_of(MappedRows& mapped, std::size_t groups) {
  MixtureSample sample{.x = mapped.sample(kSample), .classes = {}, .weights = {}, .groups = groups};
  for (const Survey::SampledRow& row : mapped.survey().sample(kSample)) {
    if (groups > 1) sample.classes.push_back(row.targets[0]);
    sample.weights.push_back(row.weight);
  }
  return sample;
}

std::vector<double> priors_of(const std::vector<double>& weights) {
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> priors;
  for (const double weight : weights) priors.push_back(std::max(kLeastPrior, weight / all));
  const double sum = std::accumulate(priors.begin(), priors.end(), 0.0);
  for (double& prior : priors) prior /= sum;
  return priors;
}

MixtureFacts facts_of(const FittedMixtures& fitted, const std::vector<Mixture>& mixtures, std::uint64_t rows) {
  MixtureFacts facts{.log_likelihood = fitted.run.mean_log_likelihood(),
                     .rounds = fitted.run.rounds,
                     .falls = fitted.run.falls,
                     .converged = fitted.run.converged,
                     .floor = fitted.floor,
                     .shape = {},
                     .projected = fitted.projected};
  for (const Mixture& mixture : mixtures)
    facts.parameters += parameters_of(mixture.gaussians.form, mixture.weights.size(), mixture.gaussians.inputs());
  const double likelihood = facts.log_likelihood * double(rows);
  facts.aic = 2 * facts.parameters - 2 * likelihood;
  facts.bic = std::log(double(rows)) * facts.parameters - 2 * likelihood;
  if (mixtures[0].gaussians.inputs() <= kMostShaped) facts.shape = shape_of(mixtures);
  return facts;
}

void say_fit(MappedRows& mapped, const MixtureOptions& options, const FittedMixtures& fitted,
             const std::vector<Mixture>& mixtures) {
  std::size_t fewer = 0;
  for (const Mixture& mixture : mixtures) fewer += mixture.weights.size() < options.components ? 1 : 0;
  if (fewer > 0)
    mapped.note(mixtures.size() == 1 ? fmt::format("{} of {} components: no row needs the others",
                                                   mixtures[0].weights.size(), options.components)
                                     : fmt::format("{} of {} classes have fewer than {} components: no row needs more",
                                                   fewer, mixtures.size(), options.components));
  if (fitted.run.falls > 0)
    mapped.note(
        fmt::format("the likelihood fell by more than rounding {} time{} and the mixture before was kept; {} keeps "
                    "more digits",
                    fitted.run.falls, fitted.run.falls == 1 ? "" : "s", Option::double_precision));
  if (!fitted.run.converged)
    mapped.note(fmt::format("not converged: {} rounds of EM, the last gained more than {} a row", options.rounds,
                            options.tolerance));
}

Model fitted_mixture(Rows& rows, const MixtureOptions& options) {
  check_options(options);
  MappedRows mapped(rows, options.features, "gmm");
  const Schema& schema = mapped.schema();
  const bool classes = schema.targets > 0;
  require(!classes || schema.task == Task::classification,
          "gmm: the target is a number, expected classes: one mixture is learnt for each");
  require(schema.targets <= 1, "gmm: found {} targets, expected one", schema.targets);
  const std::size_t groups = classes ? schema.labels.size() : 1;
  const FittedMixtures fitted = fit_mixtures(mapped.stream(), sample_of(mapped, groups), options,
                                             [&](const std::string& text) { mapped.note(text); });
  std::vector<Mixture> mixtures;
  for (std::size_t g = 0; g < groups; ++g) mixtures.push_back(fitted.run.mixtures.of_group(g));
  say_fit(mapped, options, fitted, mixtures);
  const MixtureFacts facts = facts_of(fitted, mixtures, mapped.rows());
  Report report;
  report.learner = "mixture";
  report.solver = fmt::format("EM, {} rounds", fitted.run.rounds);
  report.termination = fitted.run.converged ? Termination::converged : Termination::step_limit;
  const MapPtr head = mixture_map(std::move(mixtures), classes ? priors_of(fitted.run.group_weights) : std::vector{1.0},
                                  classes ? MixtureOutput::classes : MixtureOutput::shares, facts);
  return std::move(mapped).model(head, std::move(report), {},
                                 classes ? MappedRows::Targets::kept : MappedRows::Targets::forgotten);
}

// EM from the mixtures as they are, with their floor.
LearntOn learn_mixture(const Model& from, const Stream& rows, const Survey& survey) {
  MixtureOptions options{.start = mixtures_of(*from.head())};
  options.covariance = options.start[0].gaussians.form;
  options.components = options.start[0].weights.size();
  options.floor = mixture_facts(*from.head())->floor;
  const Stream stream = at_head(from, rows);
  LearntOn learnt{from.maps(), nullptr};
  const std::size_t groups = options.start.size();
  const FittedMixtures fitted = fit_mixtures(stream, {.x = {}, .classes = {}, .weights = {}, .groups = groups}, options,
                                             [&](const std::string& text) { learnt.notes.push_back(text); });
  std::vector<Mixture> mixtures;
  for (std::size_t g = 0; g < groups; ++g) mixtures.push_back(fitted.run.mixtures.of_group(g));
  const bool classes = from.schema().targets > 0;
  std::vector<double> priors = classes ? priors_of(fitted.run.group_weights) : std::vector{1.0};
  const MixtureFacts facts = facts_of(fitted, mixtures, survey.rows());
  learnt.head = mixture_map(std::move(mixtures), std::move(priors),
                            classes ? MixtureOutput::classes : MixtureOutput::shares, facts);
  return learnt;
}

}  // namespace

const LearnsOn kMixturesLearnOn{.is = [](const Model& model) { return mixture_facts(*model.head()).has_value(); },
                                .learn = learn_mixture};

Model mixture(Rows& rows, const MixtureOptions& options) {
  return stoppable(options.features.execution, [&] { return fitted_mixture(rows, options); });
}

Evaluation Model::examine_density(const MapPtr& density, Rows& rows, const Execution& execution, bool by_weight) const {
  double likelihood = 0, all = 0;
  Evaluation evaluation;
  predict_by(density, rows, execution, [&](const RowBlock<double>& p) {
    for (std::size_t i = 0; i < p.rows; ++i) {
      const double weight = by_weight ? weight_of(p.weights, i) : 1;
      likelihood += weight * p.values[i * p.stride];
      all += weight;
    }
    evaluation.score.rows += p.rows;
  });
  if (all > 0) evaluation.log_likelihood = likelihood / all;
  return evaluation;
}

}  // namespace bochner
