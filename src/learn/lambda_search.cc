// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/lambda_search.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "learn/descend.h"

namespace bochner {

namespace {
// Half-decades, 10^(step / 2). Below 1e-10 float features no longer tell lambda from rounding.
constexpr int kStart = -12, kLeast = -20, kMost = 4;
}  // namespace

LambdaSearch search_lambda(const std::vector<double>& given, const std::function<LambdaTrial(double)>& evaluate) {
  LambdaSearch search;
  const auto better = [](const LambdaTrial& a, const LambdaTrial& b) { return a.loss < b.loss; };
  if (!given.empty()) {
    for (double lambda : given) search.trials.push_back(evaluate(lambda));
  } else {
    std::map<int, LambdaTrial> tried;
    descend(kStart, kLeast, kMost, [&](int step) {
      if (!tried.contains(step)) tried[step] = evaluate(std::pow(10.0, step / 2.0));
      return tried[step].loss;
    });
    for (const auto& [step, trial] : tried) search.trials.push_back(trial);
  }
  search.best =
      std::size_t(std::min_element(search.trials.begin(), search.trials.end(), better) - search.trials.begin());
  return search;
}

}  // namespace bochner
