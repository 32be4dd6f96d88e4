// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/ridge/ridge_sums.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/require.h"
#include "learn/ridge/lambda_search.h"
#include "learn/ridge/posterior.h"

namespace bochner {

namespace {

// The squared errors that GCV foretells for each output, in the units of the code and per unit of weight.
struct Forecast {
  std::vector<double> squares;
  double parameters = 0;  // tr H
};

Forecast forecast(const GramFold& sums, const NormalEquations& equations, const Cholesky& factor,
                  const Coefficients& head, double lambda, Threads& threads) {
  const double n = double(sums.rows()), shift = lambda * equations.weight;
  Forecast result;
  result.parameters =
      double(sums.features()) - (shift > 0 ? shift * factor.inverse_trace(threads) : 0) + (equations.intercept ? 1 : 0);
  const std::size_t constant = sums.code().columns();
  for (std::size_t k = 0; k < head.weights.cols(); ++k) {
    const double mean = equations.target_mean[k];
    double rss = sums.target_sum(k, k) - (equations.intercept ? mean * sums.target_sum(k, constant) : 0);
    for (std::size_t j = 0; j < head.weights.rows(); ++j) {
      const double w = head.weights(j, k);
      rss -= w * (equations.moment(j, k) + shift * w);
    }
    const double free = std::max(n - result.parameters, 1e-6 * n);
    result.squares.push_back(std::max(rss, 0.0) / equations.weight * (n / free) * (n / free));
  }
  return result;
}

// As Scorer gives it, with the forecast for the residuals. For classes it speaks of the -1 and +1 of the code.
Score score_of(const GramFold& sums, const Forecast& forecast) {
  const TargetCode& code = sums.code();
  const std::size_t outputs = forecast.squares.size();
  const double weight = sums.weight();
  double residual = 0, squares = 0, r2 = 0;
  for (std::size_t k = 0; k < outputs; ++k) {
    const double unit = code.task == Task::regression ? code.unit[k] : 1;
    const double center = code.task == Task::regression ? code.center[k] : 0;
    const double mean = sums.target_sum(k, outputs) / weight, square = sums.target_sum(k, k) / weight;
    const double variance = square - mean * mean;
    residual += forecast.squares[k] * unit * unit;
    squares += square * unit * unit + 2 * unit * center * mean + center * center;
    r2 += variance > 0 ? 1 - forecast.squares[k] / variance : 0;
  }
  Score score;
  score.rows = sums.rows();
  score.relative_error = squares > 0 ? std::sqrt(residual / squares) : 0;
  score.rmse = std::sqrt(residual / double(outputs));
  score.r2 = r2 / double(outputs);
  return score;
}

}  // namespace

Fitted fit_ridge_sums(const GramFold& sums, const std::vector<double>& lambdas, bool intercept, Threads& threads,
                      const ProgressFunction& progress) {
  check_lambdas(lambdas);
  require(sums.rows() > 0, "ridge: the sums are over no rows");
  Clock clock;
  Fitted fitted;
  Report& report = fitted.report;
  const NormalEquations equations(sums, intercept);
  Coefficients best;
  double least = 0;
  const LambdaSearch search = search_lambda(lambdas, [&](double lambda) {
    const Cholesky factor = equations.try_factor(lambda, threads);
    if (factor.failed_column()) return LambdaTrial{lambda};
    const Coefficients head = equations.solve(factor);
    const Forecast ahead = forecast(sums, equations, factor, head, lambda, threads);
    double loss = 0;
    for (const double squares : ahead.squares) loss += squares;
    if (best.intercept.empty() || loss < least) {
      best = head;
      if (sums.code().task == Task::regression)
        report.log_marginal_likelihood = evidence(equations, factor, head, lambda).likelihood;
      least = loss;
    }
    if (progress) progress("lambda", 0);
    return LambdaTrial{lambda, loss, score_of(sums, ahead)};
  });
  if (best.intercept.empty()) equations.factor(search.trials[search.best].lambda, threads);  // says why
  TargetCode code = sums.code();
  for (std::size_t k = 0; k < code.center.size(); ++k) {
    if (!lost_in_float(std::abs(code.center[k]), code.unit[k])) continue;
    fitted.target_offsets.resize(code.center.size());
    std::swap(fitted.target_offsets[k], code.center[k]);
  }
  const Coefficients head = decode(best, code);
  fitted.head = linear(head.weights, head.intercept);
  report.seconds.emplace_back("solve", clock.lap());

  report.rows = sums.rows();
  report.features = sums.features();
  report.learner = "ridge";
  report.solver = "cholesky";
  report.lambda = search.trials[search.best].lambda;
  for (const LambdaTrial& trial : search.trials) report.path.push_back({trial.lambda, trial.score});
  const Score& score = search.trials[search.best].score;
  report.validation = "generalized cross-validation";
  if (sums.code().task == Task::regression)
    report.score = score;
  else  // a squared error says nothing exact about the rate of wrong classes
    report.notes.push_back(
        fmt::format("generalized cross-validation: the scores -1 and +1 are met to R2 {:.4f}; evaluate the model on "
                    "rows it has not seen for its error",
                    *score.r2));
  return fitted;
}

}  // namespace bochner
