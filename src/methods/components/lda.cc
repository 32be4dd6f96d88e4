// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/lda.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "bochner/figures.h"
#include "bochner/learner.h"
#include "choose/plan_memory.h"
#include "learn/ridge/solver_choice.h"
#include "methods/components/components_map.h"
#include "methods/components/discriminant.h"
#include "model/mapped_rows.h"

namespace bochner {

namespace {

// The score of class c at the coordinates y: y . m_c - |m_c|^2 / 2 + log share_c; of two classes the difference.
MapPtr class_scores(const Discriminant& found) {
  const std::size_t classes = found.centres.rows(), r = found.centres.cols(), outputs = classes == 2 ? 1 : classes;
  Matrix<double> weights(r, outputs);
  std::vector<double> intercept(outputs);
  for (std::size_t c = 0; c < classes; ++c) {
    const double sign = classes == 2 && c == 0 ? -1 : 1;
    const std::size_t output = classes == 2 ? 0 : c;
    intercept[output] += sign * std::log(std::max(found.shares[c], 1e-30));
    for (std::size_t k = 0; k < r; ++k) {
      weights(k, output) += sign * found.centres(c, k);
      intercept[output] -= sign * 0.5 * found.centres(c, k) * found.centres(c, k);
    }
  }
  return linear(std::move(weights), std::move(intercept));
}

}  // namespace

Model lda(Rows& rows, const LdaOptions& options) {
  require(rows.schema().task == Task::classification && rows.schema().targets == 1,
          "lda: the target holds numbers, expected classes; call it a classification, or train for numbers");
  check_classes(rows.schema(), {}, "lda");
  MappedRows mapped(rows, options.features, "lda");
  check_classes(mapped.schema(), mapped.survey().class_rows(), "lda");
  RidgeOptions ridge;
  ridge.solver = RidgeOptions::Solver::cholesky;
  ridge.lambdas = options.lambdas;
  ridge.seed = options.features.seed;
  check_fit_memory(ridge_memory(fit_size(mapped.stream(), mapped.survey(), mapped.schema().labels.size(), false), ridge,
                                double(memory_limit(mapped.execution()))),
                   mapped.features(), mapped.execution());
  Discriminant found = discriminant(mapped.stream(), mapped.survey(), ridge);
  Report report;
  report.learner = "lda";
  report.solver = "cholesky";
  report.lambda = found.lambda;
  const MapPtr head = measured(class_scores(found), {{"ratios", found.strengths}});
  return std::move(mapped).model(head, std::move(report), {}, MappedRows::Targets::kept,
                                 {components(std::move(found.vectors), std::move(found.mean))});
}

}  // namespace bochner
