// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/choose_C.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "learn/descend.h"
#include "random/hold_out.h"

namespace bochner {

namespace {

constexpr int kStart = 0, kLeast = -8, kMost = 14;  // C = 10^(step / 2)
constexpr double kFlat = 1e-9;                      // relative difference of losses
constexpr double kMostHeldOut = 8192, kFewHeldOut = 2000;

bool is_flat(double a, double b) { return std::abs(a - b) <= kFlat * std::abs(a); }

}  // namespace

double fraction_held_out(double rows) {
  return hold_out_fraction(rows, std::clamp(kFewHeldOut / rows, 0.1, 0.25), kMostHeldOut);
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
