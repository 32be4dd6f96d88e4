// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "model/examine_levels.h"

#include <algorithm>

#include "base/require.h"
#include "learn/choice.h"
#include "learn/evaluator.h"

namespace bochner {

Evaluation examine_levels(const Model& model, const std::vector<double>& levels, Rows& rows, const Execution& execution,
                          bool by_weight) {
  require(rows.schema().targets > 0, "evaluate: the rows have no target");
  Evaluator evaluator(Task::regression, 1, model.schema().target_names());
  const std::size_t middle = nearest_median(levels);
  std::vector<Evaluation::Level> sums;
  for (const double level : levels) sums.push_back({level});
  double all = 0;
  model.predict(rows, execution, [&](const RowBlock<double>& p) {
    for (std::size_t i = 0; i < p.rows; ++i) {
      const double* answers = p.values + i * p.stride;
      const double y = p.targets[i * p.target_count], weight = by_weight ? weight_of(p.weights, i) : 1;
      evaluator.add(answers + middle, &y, weight, nullptr);
      all += weight;
      for (std::size_t k = 0; k < sums.size(); ++k) {
        const LossLines pinball{.above = levels[k], .below = 1 - levels[k]};
        sums[k].loss += pinball.value({weight, y, answers[k], 0});
        if (y <= answers[k]) sums[k].below += weight;
      }
    }
  });
  Evaluation found = evaluator.evaluation();
  for (Evaluation::Level& sum : sums) {
    sum.below /= all;
    sum.loss /= all;
  }
  if (all > 0) found.levels = std::move(sums);
  return found;
}

}  // namespace bochner
