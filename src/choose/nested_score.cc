// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "choose/nested_score.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "learn/nested.h"

namespace bochner {

Score nested_score(const SampleTrial& trial, const std::function<Chosen(const SampleTrial& rest)>& choose) {
  std::vector<std::size_t> order(trial.rows());  // rows come in random order: a stable sort deals out each class
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (trial.task() == Task::classification)
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return trial.targets(a)[0] < trial.targets(b)[0]; });
  Scorer scorer = trial.empty_score();
  for (std::size_t fold = 0; fold < kNestedFolds; ++fold) {
    std::vector<std::size_t> held, others;
    for (std::size_t p = 0; p < order.size(); ++p) (p % kNestedFolds == fold ? held : others).push_back(order[p]);
    const SampleTrial rest(trial, others);
    const Chosen chosen = choose(rest);
    rest.score(chosen.map, chosen.lambda, SampleTrial(trial, held), scorer);
  }
  return scorer.score();
}

}  // namespace bochner
