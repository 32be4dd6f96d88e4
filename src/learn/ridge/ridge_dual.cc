// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/ridge/ridge_dual.h"

#include <cmath>
#include <limits>
#include <optional>

#include "base/clock.h"
#include "base/memory.h"
#include "base/require.h"
#include "learn/ridge/dual_equations.h"

namespace bochner {

Fitted fit_ridge_dual(const Stream& stream, const Survey& survey, const RidgeOptions& options,
                      const Stream* validation) {
  check_lambdas(options.lambdas);
  require(options.select != RidgeOptions::Select::hold_out,
          "ridge: the solver dual chooses by leave-one-out, which it has at no cost; select by that, or use cholesky");
  Threads& threads = stream.threads();
  const TargetCode code = target_code(stream.schema(), survey, options.intercept);
  Clock clock;
  Fitted fitted;
  Report& report = fitted.report;
  FeatureStore store(stream, survey.rows(), std::numeric_limits<std::size_t>::max(), FeatureStore::Rounding::none);
  store.fill();
  release_freed_memory();  // blocks of mapped rows
  report.seconds.emplace_back("features", clock.lap());

  const DualEquations equations(store.dense(), code, options.intercept, threads);
  report.seconds.emplace_back("kernel", clock.lap());
  const auto head_of = [&](double lambda) -> std::optional<Coefficients> {
    const Cholesky factor = equations.factor(lambda, threads);
    if (factor.failed_column()) return std::nullopt;
    return decode(equations.solve(factor, threads), code);
  };
  LambdaSearch search;
  if (validation)
    search = choose_on_stream(*validation, options, head_of, code);
  else if (equations.rows() > 1)
    search = search_lambda(
        options.lambdas,
        [&](double lambda) {
          const Cholesky factor = equations.factor(lambda, threads);
          if (factor.failed_column()) return LambdaTrial{lambda};
          const LeftOutScore found = equations.score_left_out(lambda, factor, threads);
          return LambdaTrial{lambda, found.loss(), found.scorer.score()};
        },
        stream.execution().checkpoint, true);
  else
    search.trials.push_back({options.lambdas.empty() ? 1e-6 : options.lambdas[0], 0, {}});
  report.lambda = search.trials[search.best].lambda;
  report.seconds.emplace_back("lambda", clock.lap());

  const std::optional<Coefficients> head = head_of(report.lambda);
  if (!head)
    fail(Error::Kind::data, "ridge: the products of rows are not positive definite; raise lambda (now {:g})",
         report.lambda);
  fitted.head = linear(head->weights, head->intercept);
  report.seconds.emplace_back("solve", clock.lap());

  describe_fit(report, stream, survey, "dual");
  describe_search(report, search, validation ? "validation file" : "leave-one-out");
  return fitted;
}

}  // namespace bochner
