// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/require.h"
#include "choose/plan_memory.h"
#include "learn/ridge/posterior.h"
#include "learn/ridge/ridge_sums.h"
#include "methods/online/state.h"

namespace bochner {

namespace {

// What is known of the model beside its coefficients: what was chosen, and nothing of single rows.
void describe(Report& report, const Model& like, const KeptSum& kept) {
  const Report& before = like.report();
  const MapPtr map = like.feature_map();
  report.inputs = like.schema().inputs;
  report.map = map ? map->spec() : "none";
  report.kernel = before.kernel;
  report.bandwidth = before.bandwidth;
  report.target_ranges = before.target_ranges;
  report.seconds.clear();
  if (report.score && !kept.target_offsets.empty()) report.score->relative_error.reset();  // as train() does
  report.notes.push_back("solved from kept sums, by frozen choices");
}

Deviation deviation_of(const KeptSum& kept, const MapPtr& map, Threads& threads) {
  const NormalEquations equations(kept.gram, kept.intercept);
  const Cholesky factor = equations.factor(kept.lambda, threads);
  const Coefficients head = equations.solve(factor);
  return posterior_deviation(equations, factor, evidence(equations, factor, head, kept.lambda), kept.lambda, map,
                             threads);
}

}  // namespace

Model solved_again(const Model& like, const KeptSum& kept, const Execution& execution) {
  Threads threads(execution);
  plan_solve_memory(kept.gram.features(), kept.gram.code().columns(), threads.count(), execution, {});
  Fitted fitted = fit_ridge_sums(kept.gram, {kept.lambda}, kept.intercept, threads, execution.progress);
  describe(fitted.report, like, kept);
  std::vector<double> offsets = kept.target_offsets;
  offsets.resize(std::max(offsets.size(), fitted.target_offsets.size()));
  for (std::size_t k = 0; k < fitted.target_offsets.size(); ++k) offsets[k] += fitted.target_offsets[k];
  Model model(like.schema(), like.maps(), fitted.head, std::move(fitted.report), like.double_precision());
  if (kept.deviation) model.set_deviation(deviation_of(kept, like.feature_map(), threads));
  model.set_target_offsets(std::move(offsets));
  return model;
}

}  // namespace bochner
