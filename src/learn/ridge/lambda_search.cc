// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/ridge/lambda_search.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "base/require.h"
#include "learn/descend.h"
#include "learn/score.h"

namespace bochner {

namespace {
// Half-decades, 10^(step / 2). Below 1e-10 float features no longer tell lambda from rounding.
constexpr int kStart = -12, kLeast = -20, kMost = 4;

}  // namespace

LambdaSearch search_lambda(const std::vector<double>& given, const std::function<LambdaTrial(double)>& make_trial,
                           Checkpoint* checkpoint, bool wide) {
  const auto evaluate = [&](double lambda) {
    const std::vector<double> numbers =
        logged(checkpoint, fmt::format("lambda {}", lambda), 1 + score_number_count(), [&] {
          const LambdaTrial trial = make_trial(lambda);
          std::vector<double> made{trial.loss};
          append_score(trial.score, made);
          return made;
        });
    return LambdaTrial{lambda, numbers[0], score_from(&numbers[1])};
  };
  LambdaSearch search;
  const auto better = [](const LambdaTrial& a, const LambdaTrial& b) { return a.loss < b.loss; };
  if (!given.empty()) {
    for (double lambda : given) search.trials.push_back(evaluate(lambda));
  } else {
    std::map<int, LambdaTrial> tried;
    const auto loss = [&](int step) {
      if (!tried.contains(step)) tried[step] = evaluate(std::pow(10.0, step / 2.0));
      return tried[step].loss;
    };
    int start = kStart;
    if (wide)
      for (int step = kLeast; step <= 0; step += 4)
        if (loss(step) < loss(start)) start = step;
    descend(start, kLeast, kMost, loss);
    for (const auto& [step, trial] : tried) search.trials.push_back(trial);
  }
  search.best =
      std::size_t(std::min_element(search.trials.begin(), search.trials.end(), better) - search.trials.begin());
  return search;
}

}  // namespace bochner
