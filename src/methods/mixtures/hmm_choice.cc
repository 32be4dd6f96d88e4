// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/require.h"
#include "methods/mixtures/hmm_fit.h"
#include "methods/mixtures/hmm_shrink.h"
#include "methods/mixtures/hmm_slopes.h"
#include "run/logged.h"

namespace bochner {

namespace {

constexpr std::size_t kStates[] = {1, 2, 3, 4, 5, 7};
constexpr std::size_t kSlopes[] = {0, 1, 2, 3};  // rows on both sides
constexpr std::size_t kFolds = 5;
constexpr double kShrinkages[] = {0.5, 1, 2, 4, 8, 16};  // rows for each input, besides none
constexpr double kGuardingFloor = 1e-3;     // share of the variance, if shrinking is what keeps covariances from chance
constexpr double kLeastLogDensity = -1e30;  // stands for the log of a sequence that a model rules out

// What one setting made of the sequences held out.
struct Held {
  double wrong = 0, loss = 0;  // wrong: share of sequences; loss: mean -log p(class | sequence), or -log p a row
};

// log p(sequence | class) of sequences held out.
class HeldEvidences {
 public:
  explicit HeldEvidences(std::size_t classes) : classes_(classes) {}

  void add(const std::vector<double>& evidences, std::size_t of_class, double weight) {
    for (const double evidence : evidences) evidences_.push_back(std::max(kLeastLogDensity, evidence));
    of_class_.push_back(of_class);
    weights_.push_back(weight);
  }

  // Rows of a sequence are not independent, so that its evidence is too sure of a class by a factor that all sequences
  // share: the one that makes the classes likeliest takes it away, and the loss then tells settings apart by how far
  // every sequence is on its side; the error tells by the few that are wrong, which is chance.
  Held of_classes() const {
    Held held{.wrong = 0, .loss = std::numeric_limits<double>::infinity()};
    double all = 0;
    for (std::size_t i = 0; i < of_class_.size(); ++i) {
      const double* const e = &evidences_[i * classes_];
      if (e[of_class_[i]] < *std::max_element(e, e + classes_)) held.wrong += weights_[i];
      all += weights_[i];
    }
    held.wrong /= std::max(all, 1e-300);
    for (double half_octaves = -2; half_octaves <= 14; ++half_octaves)
      held.loss = std::min(held.loss, loss(std::exp2(half_octaves / 2)) / std::max(all, 1e-300));
    return held;
  }

  // rows: by weight, of all that were added.
  Held of_one(double rows) const {
    Held held;
    for (std::size_t i = 0; i < weights_.size(); ++i) held.loss -= weights_[i] * evidences_[i] / std::max(1.0, rows);
    return held;
  }

 private:
  double loss(double divisor) const {
    double sum = 0;
    for (std::size_t i = 0; i < of_class_.size(); ++i) {
      const double* const e = &evidences_[i * classes_];
      const double most = *std::max_element(e, e + classes_);
      double all = 0;
      for (std::size_t c = 0; c < classes_; ++c) all += std::exp((e[c] - most) / divisor);
      sum += weights_[i] * ((most - e[of_class_[i]]) / divisor + std::log(all));
    }
    return sum;
  }

  std::size_t classes_;
  std::vector<double> evidences_, weights_;
  std::vector<std::size_t> of_class_;
};

// The part that holds each sequence out, two ways: every fifth of its class, and fifths that follow each other, since
// what was recorded in a row is alike.
std::vector<std::vector<std::size_t>> partitions(const Sequences& sequences) {
  std::vector<std::size_t> seen(sequences.groups), count(sequences.groups);
  for (const std::uint32_t c : sequences.classes) ++count[c];
  std::vector<std::vector<std::size_t>> found(2, std::vector<std::size_t>(sequences.size()));
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const std::size_t c = sequences.classes[i], at = seen[c]++;
    found[0][i] = at % kFolds;
    found[1][i] = at * kFolds / count[c];
  }
  return found;
}

// One for each of the shrinkages, which the same models are fitted for.
std::vector<Held> held_out(const Workers& on, const Sequences& sequences, HmmOptions options,
                           const std::vector<double>& shrinkages) {
  std::vector<HeldEvidences> evidences(shrinkages.size(), HeldEvidences(sequences.groups));
  options.shrink = 0;
  options.features.execution.checkpoint = nullptr;  // what is found here is kept as a whole
  const bool any = shrinkages.size() > 1 || shrinkages[0] > 0;
  double rows = 0;
  for (const std::vector<std::size_t>& part : partitions(sequences))
    for (std::size_t f = 0; f < kFolds; ++f) {
      std::vector<std::size_t> learn, check;
      for (std::size_t i = 0; i < sequences.size(); ++i) (part[i] == f ? check : learn).push_back(i);
      if (learn.empty() || check.empty()) continue;
      const Sequences learnt = sequences.of(learn);
      const HmmRun run = fit_hmms(on, learnt, options);
      for (const std::size_t i : check) rows += sequences.weight(i) * double(sequences.rows(i).rows);
      const std::vector<double> weights = any ? gaussian_rows(pass_over(on, learnt), run.hmms) : std::vector<double>();
      for (std::size_t s = 0; s < shrinkages.size(); ++s) {
        const std::vector<Hmm> hmms = any ? shrunk(run.hmms, weights, shrinkages[s]) : run.hmms;
        const HmmStates states(hmms);
        for (const std::size_t i : check)
          evidences[s].add(class_evidences(on, states, hmms, sequences.rows(i)), sequences.classes[i],
                           sequences.weight(i));
      }
    }
  std::vector<Held> found;
  for (const HeldEvidences& of : evidences) found.push_back(sequences.groups > 1 ? of.of_classes() : of.of_one(rows));
  return found;
}

// The same, taken from the checkpoint where an earlier run found it.
std::vector<Held> held_out_logged(const Workers& on, const Sequences& sequences, const HmmOptions& options,
                                  const std::vector<double>& shrinkages) {
  const std::string name = fmt::format("{} states, {}{}", options.states, covariance_name(*options.covariance),
                                       *options.slopes > 0 ? fmt::format(", slopes of {}", *options.slopes) : "");
  const auto make = [&] {
    std::vector<double> numbers;
    for (const Held& held : held_out(on, sequences, options, shrinkages)) {
      numbers.push_back(held.wrong);
      numbers.push_back(held.loss);
    }
    return numbers;
  };
  const std::vector<double> numbers = logged(options.features.execution.checkpoint, name, 2 * shrinkages.size(), make);
  std::vector<Held> found;
  for (std::size_t s = 0; s < shrinkages.size(); ++s)
    found.push_back({.wrong = numbers[2 * s], .loss = numbers[2 * s + 1]});
  return found;
}

// Every setting of what is open.
std::vector<HmmOptions> settings(const HmmOptions& options) {
  std::vector<CovarianceForm> forms = {{.kind = CovarianceForm::Kind::diag}, {.kind = CovarianceForm::Kind::full}};
  if (options.covariance) forms = {*options.covariance};
  std::vector<std::size_t> states(std::begin(kStates), std::end(kStates));
  if (options.states > 0) states = {options.states};
  std::vector<std::size_t> slopes(std::begin(kSlopes), std::end(kSlopes));
  if (options.slopes) slopes = {*options.slopes};
  std::vector<HmmOptions> all;
  for (const std::size_t reach : slopes)
    for (const CovarianceForm& form : forms)
      for (const std::size_t count : states) {
        all.push_back(options);
        all.back().slopes = reach;
        all.back().covariance = form;
        all.back().states = count;
      }
  return all;
}

std::string words_of(const HmmOptions& setting, const char* what, const char* rows) {
  return fmt::format("{}{}{}{}", covariance_name(*setting.covariance), what,
                     *setting.shrink > 0 ? fmt::format(" shrunk by {:g}{}", *setting.shrink, rows) : "",
                     *setting.slopes > 0 ? fmt::format(" with slopes of {}{}", *setting.slopes, rows) : "");
}

}  // namespace

HmmOptions choose_hmm(const Workers& on, const Sequences& sequences, HmmOptions options,
                      const std::function<void(const std::string&)>& say) {
  if (options.states > 0 && options.covariance && options.shrink && options.slopes) return options;
  require(options.slopes || sequences.groups > 1,
          "slopes: found auto without classes, whose log-loss chooses; expected a number of rows");
  if (!options.shrink && !options.floor) options.floor = kGuardingFloor;
  double least = std::numeric_limits<double>::infinity();
  HmmOptions chosen = options;
  std::string tried;
  for (HmmOptions& setting : settings(options)) {
    const Sequences seen = with_slopes(sequences, *setting.slopes);
    std::vector<double> shrinkages = {options.shrink.value_or(0)};
    if (!options.shrink)
      for (const double inputs : kShrinkages) shrinkages.push_back(inputs * double(seen.x.cols()));
    HmmOptions trial = setting;
    trial.restarts = 1;
    const std::vector<Held> found = held_out_logged(on, seen, trial, shrinkages);
    const auto best =
        std::min_element(found.begin(), found.end(), [](const Held& a, const Held& b) { return a.loss < b.loss; });
    setting.shrink = shrinkages[std::size_t(best - found.begin())];
    tried += fmt::format("{}{} {}: {}", tried.empty() ? "" : ", ", setting.states, words_of(setting, "", ""),
                         sequences.groups > 1 ? fmt::format("{:.4f} and {:.2f} %", best->loss, 100 * best->wrong)
                                              : fmt::format("{:.5g}", -best->loss));
    if (!(best->loss < least)) continue;
    least = best->loss;
    chosen = setting;
  }
  say(fmt::format("states: {} with {}, by {} of sequences held out in {} parts, two ways ({})", chosen.states,
                  words_of(chosen, " covariances", " rows"),
                  sequences.groups > 1 ? "the log-loss (and error)" : "the log-likelihood a row", kFolds, tried));
  return chosen;
}

}  // namespace bochner
