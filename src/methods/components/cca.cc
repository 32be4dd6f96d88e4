// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/cca.h"

#include <limits>

#include "base/require.h"
#include "bochner/figures.h"
#include "bochner/learner.h"
#include "choose/plan_memory.h"
#include "learn/ridge/solver_choice.h"
#include "methods/components/components_map.h"
#include "methods/components/discriminant.h"
#include "model/mapped_rows.h"

namespace bochner {

Model cca(Rows& rows, const CcaOptions& options) {
  require(rows.schema().targets > 0, "cca: found no target, expected the columns of the other view");
  check_classes(rows.schema(), {}, "cca");
  MappedRows mapped(rows, options.features, "cca");
  if (mapped.rows() < 2) fail(Error::Kind::data, "cca: found 1 row, expected at least 2");
  RidgeOptions ridge;
  ridge.solver = RidgeOptions::Solver::cholesky;
  ridge.lambdas = options.lambdas;
  ridge.seed = options.features.seed;
  check_fit_memory(ridge_memory(fit_size(mapped.stream(), mapped.survey(), outputs_of(mapped.schema()), false), ridge,
                                double(memory_limit(mapped.execution()))),
                   mapped.features(), mapped.execution());
  const std::size_t most = options.rank ? options.rank : std::numeric_limits<std::size_t>::max();
  Canonical found = canonical(mapped.stream(), mapped.survey(), ridge, most);
  if (options.rank > found.strengths.size())
    mapped.note(fmt::format("rank: {} of {}, the targets have no more", found.strengths.size(), options.rank));
  std::vector<double> directions;
  for (std::size_t k = 0; k < found.targets.cols(); ++k)
    for (std::size_t a = 0; a < found.targets.rows(); ++a) directions.push_back(found.targets(a, k));
  Report report;
  report.learner = "cca";
  report.solver = "cholesky";
  report.lambda = found.lambda;
  MapPtr head = measured(components(std::move(found.vectors), std::move(found.mean)),
                         {{"correlations", std::move(found.strengths)},
                          {"target_directions", std::move(directions)},
                          {"target_means", std::move(found.target_mean)}});
  return std::move(mapped).model(std::move(head), std::move(report));
}

}  // namespace bochner
