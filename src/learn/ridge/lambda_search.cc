// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/ridge/lambda_search.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "base/require.h"
#include "learn/descend.h"

namespace bochner {

namespace {
// Half-decades, 10^(step / 2). Below 1e-10 float features no longer tell lambda from rounding.
constexpr int kStart = -12, kLeast = -20, kMost = 4;

using Field = std::optional<double> Score::*;
constexpr Field kFields[] = {&Score::error, &Score::relative_error, &Score::rmse, &Score::r2};

// Loss, rows, and each field of the score; NaN for those it does not have.
std::vector<double> to_numbers(const LambdaTrial& trial) {
  std::vector<double> numbers{trial.loss, double(trial.score.rows)};
  for (const Field field : kFields)
    numbers.push_back((trial.score.*field).value_or(std::numeric_limits<double>::quiet_NaN()));
  return numbers;
}

LambdaTrial from_numbers(double lambda, const std::vector<double>& numbers) {
  LambdaTrial trial{lambda, numbers[0]};
  trial.score.rows = std::uint64_t(numbers[1]);
  for (std::size_t i = 0; i < std::size(kFields); ++i)
    if (!std::isnan(numbers[2 + i])) trial.score.*kFields[i] = numbers[2 + i];
  return trial;
}

}  // namespace

LambdaSearch search_lambda(const std::vector<double>& given, const std::function<LambdaTrial(double)>& make_trial,
                           Checkpoint* checkpoint, bool wide) {
  const auto evaluate = [&](double lambda) {
    const auto make = [&] { return to_numbers(make_trial(lambda)); };
    return from_numbers(lambda, logged(checkpoint, fmt::format("lambda {}", lambda), 2 + std::size(kFields), make));
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
