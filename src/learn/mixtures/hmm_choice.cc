// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/require.h"
#include "learn/mixtures/hmm_fit.h"
#include "learn/mixtures/hmm_shrink.h"

namespace bochner {

namespace {

constexpr std::size_t kStates[] = {1, 2, 3, 4, 5, 7};
constexpr std::size_t kFolds = 5;
constexpr double kShrinkages[] = {1, 4, 16};  // rows for each input, besides none

struct Held {
  double wrong = 0, loss = 0;  // of sequences; loss: -log p(class | sequence) a sequence, or -log p a row

  bool better_than(const Held& other) const {
    return wrong < other.wrong || (wrong == other.wrong && loss < other.loss);
  }
};

void add_sequence(const std::vector<double>& evidences, std::size_t c, double weight, Held& held) {
  if (evidences.size() == 1) {
    held.loss -= weight * std::max(-1e30, evidences[0]);
    return;
  }
  const double most = *std::max_element(evidences.begin(), evidences.end()), of_class = evidences[c];
  if (!std::isfinite(most)) return;
  double all = 0;
  for (const double evidence : evidences) all += std::exp(evidence - most);
  if (of_class < most) held.wrong += weight;
  held.loss += weight * std::min(1e30, most + std::log(all) - of_class);
}

// One for each of the shrinkages, which the same models are fitted for.
std::vector<Held> held_out(const Workers& on, const Sequences& sequences, HmmOptions options,
                           const std::vector<double>& shrinkages) {
  std::vector<std::size_t> seen(sequences.groups), fold(sequences.size());
  for (std::size_t i = 0; i < sequences.size(); ++i) fold[i] = seen[sequences.classes[i]]++ % kFolds;
  std::vector<Held> found(shrinkages.size());
  options.shrink = 0;
  double rows = 0, count = 0;
  for (std::size_t f = 0; f < kFolds; ++f) {
    std::vector<std::size_t> learn, check;
    for (std::size_t i = 0; i < sequences.size(); ++i) (fold[i] == f ? check : learn).push_back(i);
    if (learn.empty() || check.empty()) continue;
    const Sequences learnt = sequences.of(learn);
    const HmmRun run = fit_hmms(on, learnt, options);
    for (const std::size_t i : check) {
      rows += sequences.weight(i) * double(sequences.rows(i).rows);
      count += sequences.weight(i);
    }
    const bool any = shrinkages.size() > 1 || shrinkages[0] > 0;
    const std::vector<double> weights = any ? gaussian_rows(on, learnt, run.hmms) : std::vector<double>();
    for (std::size_t s = 0; s < shrinkages.size(); ++s) {
      const std::vector<Hmm> hmms = any ? shrunk(run.hmms, weights, shrinkages[s]) : run.hmms;
      const HmmStates states(hmms);
      for (const std::size_t i : check)
        add_sequence(class_evidences(on, states, hmms, sequences.rows(i)), sequences.classes[i], sequences.weight(i),
                     found[s]);
    }
  }
  for (Held& held : found) {
    held.loss /= sequences.groups > 1 ? std::max(1.0, count) : std::max(1.0, rows);
    held.wrong /= std::max(1.0, count);
  }
  return found;
}

}  // namespace

HmmOptions choose_hmm(const Workers& on, const Sequences& sequences, HmmOptions options,
                      const std::function<void(const std::string&)>& say) {
  if (options.states > 0 && options.covariance && options.shrink) return options;
  std::vector<CovarianceForm> forms;
  if (options.covariance)
    forms.push_back(*options.covariance);
  else
    forms = {{.kind = CovarianceForm::Kind::diag}, {.kind = CovarianceForm::Kind::full}};
  std::vector<std::size_t> states(std::begin(kStates), std::end(kStates));
  if (options.states > 0) states = {options.states};
  std::vector<double> shrinkages = {options.shrink.value_or(0)};
  if (!options.shrink)
    for (const double inputs : kShrinkages) shrinkages.push_back(inputs * double(sequences.x.cols()));
  Held best{.wrong = 2, .loss = std::numeric_limits<double>::infinity()};
  HmmOptions chosen = options;
  std::string tried;
  for (const CovarianceForm& form : forms)
    for (const std::size_t count : states) {
      HmmOptions trial = options;
      trial.states = count;
      trial.covariance = form;
      trial.restarts = 1;
      const std::vector<Held> found = held_out(on, sequences, trial, shrinkages);
      for (std::size_t s = 0; s < shrinkages.size(); ++s) {
        const Held& held = found[s];
        tried += fmt::format(
            "{}{} {}{}: {}", tried.empty() ? "" : ", ", count, covariance_name(form),
            shrinkages[s] > 0 ? fmt::format(" shrunk by {:g}", shrinkages[s]) : "",
            sequences.groups > 1 ? fmt::format("{:.2f} %", 100 * held.wrong) : fmt::format("{:.5g}", -held.loss));
        if (!held.better_than(best)) continue;
        best = held;
        chosen.states = count;
        chosen.covariance = form;
        chosen.shrink = shrinkages[s];
      }
    }
  say(fmt::format("states: {} with {} covariances{}, by {} of sequences held out in {} parts ({})", chosen.states,
                  covariance_name(*chosen.covariance),
                  *chosen.shrink > 0 ? fmt::format(" shrunk by {:g} rows", *chosen.shrink) : "",
                  sequences.groups > 1 ? "the error" : "the log-likelihood a row", kFolds, tried));
  return chosen;
}

}  // namespace bochner
