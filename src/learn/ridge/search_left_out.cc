// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/ridge/search_left_out.h"

#include "learn/ridge/dual_equations.h"

namespace bochner {

template <class T>
LambdaSearch search_left_out(const Workers& on, const RowBlock<T>& z, const RowBounds& most, const TargetCode& code,
                             bool intercept, const std::vector<double>& lambdas) {
  const auto search = [&](const auto& factor_at, const auto& score) {
    return search_lambda(
        lambdas,
        [&](double lambda) {
          const Cholesky factor = factor_at(lambda);
          return factor.failed_column() ? LambdaTrial{lambda} : LambdaTrial{lambda, score(lambda, factor).loss()};
        },
        nullptr, true);
  };
  if (z.rows < z.cols) {
    const DualEquations equations(z, code, intercept, on.threads);
    return search(
        [&](double lambda) { return equations.factor(lambda, on.threads); },
        [&](double lambda, const Cholesky& factor) { return equations.score_left_out(lambda, factor, on.threads); });
  }
  GramFold sums(z.cols, most.feature, code, most.weight);
  sums.add(on, z);
  const NormalEquations equations(sums, intercept);
  return search([&](double lambda) { return equations.try_factor(lambda, on.threads); },
                [&](double, const Cholesky& factor) {
                  return score_left_out(on, z, equations, factor, equations.solve(factor), code);
                });
}

template LambdaSearch search_left_out(const Workers&, const RowBlock<float>&, const RowBounds&, const TargetCode&, bool,
                                      const std::vector<double>&);
template LambdaSearch search_left_out(const Workers&, const RowBlock<double>&, const RowBounds&, const TargetCode&,
                                      bool, const std::vector<double>&);

}  // namespace bochner
