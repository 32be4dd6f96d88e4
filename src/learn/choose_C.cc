// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/choose_C.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "learn/descend.h"
#include "random/hold_out.h"
#include "random/powers.h"

namespace bochner {

namespace {

constexpr int kStart = 0, kLeast = -8, kMost = 14;  // C = 10^(step / 2)
constexpr double kFlat = 1e-9;                      // relative difference of losses
constexpr double kMostHeldOut = 8192, kFewHeldOut = 2000;

// -log of the probability that the scores of a logistic head give to the class.
double log_loss(const double* scores, std::size_t outputs, std::size_t label) {
  if (outputs == 1) {
    const double margin = label == 1 ? scores[0] : -scores[0];
    return portable_log(1 + portable_exp_negative(-std::abs(margin))) + std::max(0.0, -margin);
  }
  const double most = *std::max_element(scores, scores + outputs);
  double sum = 0;
  for (std::size_t k = 0; k < outputs; ++k) sum += portable_exp_negative(scores[k] - most);
  return portable_log(sum) + most - scores[label];
}

bool is_flat(double a, double b) { return std::abs(a - b) <= kFlat * std::abs(a); }

}  // namespace

double fraction_held_out(double rows) {
  return hold_out_fraction(rows, std::clamp(kFewHeldOut / rows, 0.1, 0.25), kMostHeldOut);
}

void ChoiceOfC::add(const double* prediction, const double* target, double weight) {
  const double likely = probabilities_ ? log_loss(prediction, row_.size(), std::size_t(target[0]))
                                       : std::numeric_limits<double>::quiet_NaN();
  scorer_.add(prediction, target, weight, likely);
  weight_ += weight;
  if (task_ == Task::regression) {
    for (std::size_t k = 0; k < row_.size(); ++k) add_number(k, prediction[k], target[k], weight);
  } else if (probabilities_) {
    sum_ += weight * likely;
  } else {
    for (std::size_t k = 0; k < row_.size(); ++k) row_[k] = std::tanh(prediction[k]);
    squashed_.add(row_.data(), target, weight);
  }
}

void ChoiceOfC::add_number(std::size_t k, double prediction, double target, double weight) {
  sum_ += loss_.row.judged_by_loss ? loss_.value(k, weight, target / units_[k], prediction / units_[k])
                                   : weight * std::abs(prediction - target) / units_[k];
  if (target <= prediction) below_ += weight;
}

std::vector<TrialOfC> try_path(const std::vector<double>& given, const std::function<TrialOfC(double)>& evaluate) {
  std::vector<TrialOfC> trials;
  if (!given.empty()) {
    for (double C : given) trials.push_back(evaluate(C));
    return trials;
  }
  std::map<int, TrialOfC> tried;
  const auto loss = [&](int step) {
    if (!tried.contains(step)) tried[step] = evaluate(std::pow(10.0, step / 2.0));
    return tried[step].loss;
  };
  int start = kStart;
  while (start + 2 <= kMost && is_flat(loss(start), loss(start + 2))) start += 2;
  if (start + 2 > kMost) start = kStart;  // flat all the way up: so it may be down
  while (start - 2 >= kLeast && is_flat(loss(start), loss(start - 2))) start -= 2;
  descend(start, kLeast, kMost, loss);
  for (const auto& [step, trial] : tried) trials.push_back(trial);
  return trials;
}

std::vector<double> given_C(const LearnerOptions& options, double weight) {
  if (options.learner == Learner::hard_svm) return {1.0};
  std::vector<double> C = options.C;
  for (double lambda : options.lambdas) C.push_back(1 / (lambda * weight));
  return C;
}

}  // namespace bochner
