// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/require.h"
#include "learn/mixtures/hmm_fit.h"

namespace bochner {

namespace {

constexpr std::size_t kStates[] = {1, 2, 3, 4, 5, 7};
constexpr std::size_t kFolds = 5;

struct Held {
  double wrong = 0, loss = 0;  // of sequences; loss: -log p(class | sequence) a sequence, or -log p a row

  bool better_than(const Held& other) const {
    return wrong < other.wrong || (wrong == other.wrong && loss < other.loss);
  }
};

Held held_out(const Workers& on, const Sequences& sequences, const HmmOptions& options) {
  std::vector<std::size_t> seen(sequences.groups), fold(sequences.size());
  for (std::size_t i = 0; i < sequences.size(); ++i) fold[i] = seen[sequences.classes[i]]++ % kFolds;
  Held held;
  double rows = 0, count = 0;
  for (std::size_t f = 0; f < kFolds; ++f) {
    std::vector<std::size_t> learn, check;
    for (std::size_t i = 0; i < sequences.size(); ++i) (fold[i] == f ? check : learn).push_back(i);
    if (learn.empty() || check.empty()) continue;
    const HmmRun run = fit_hmms(on, sequences.of(learn), options);
    const HmmStates states(run.hmms);
    for (const std::size_t i : check) {
      std::vector<double> evidences = class_evidences(on, states, run.hmms, sequences.rows(i));
      const std::size_t c = sequences.classes[i];
      ++count;
      rows += double(sequences.rows(i).rows);
      if (evidences.size() == 1) {
        held.loss -= std::max(-1e30, evidences[0]);
        continue;
      }
      const double most = *std::max_element(evidences.begin(), evidences.end()), of_class = evidences[c];
      if (!std::isfinite(most)) continue;
      double all = 0;
      for (const double evidence : evidences) all += std::exp(evidence - most);
      if (of_class < most) ++held.wrong;
      held.loss += std::min(1e30, most + std::log(all) - of_class);
    }
  }
  held.loss /= sequences.groups > 1 ? std::max(1.0, count) : std::max(1.0, rows);
  held.wrong /= std::max(1.0, count);
  return held;
}

}  // namespace

HmmOptions choose_hmm(const Workers& on, const Sequences& sequences, HmmOptions options,
                      const std::function<void(const std::string&)>& say) {
  if (options.states > 0 && options.covariance) return options;
  std::vector<CovarianceForm> forms;
  if (options.covariance)
    forms.push_back(*options.covariance);
  else
    forms = {{.kind = CovarianceForm::Kind::diag}, {.kind = CovarianceForm::Kind::full}};
  std::vector<std::size_t> states(std::begin(kStates), std::end(kStates));
  if (options.states > 0) states = {options.states};
  Held best{.wrong = 2, .loss = std::numeric_limits<double>::infinity()};
  HmmOptions chosen = options;
  std::string tried;
  for (const CovarianceForm& form : forms)
    for (const std::size_t count : states) {
      HmmOptions trial = options;
      trial.states = count;
      trial.covariance = form;
      trial.restarts = 1;
      const Held held = held_out(on, sequences, trial);
      tried += fmt::format(
          "{}{} {}: {}", tried.empty() ? "" : ", ", count, covariance_name(form),
          sequences.groups > 1 ? fmt::format("{:.2f} %", 100 * held.wrong) : fmt::format("{:.5g}", -held.loss));
      if (!held.better_than(best)) continue;
      best = held;
      chosen.states = count;
      chosen.covariance = form;
    }
  say(fmt::format("states: {} with {} covariances, by {} of sequences held out in {} parts ({})", chosen.states,
                  covariance_name(*chosen.covariance), sequences.groups > 1 ? "the error" : "the log-likelihood a row",
                  kFolds, tried));
  return chosen;
}

}  // namespace bochner
