// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/solver_choice.h"

#include "base/require.h"
#include "learn/ridge_cg.h"
#include "learn/sketched_gram.h"

namespace bochner {

namespace {

// Per second and core.
constexpr double kFloatProducts = 50e9, kDoubleProducts = 25e9;  // multiply and add counted as two
constexpr double kNumbersPassed = 3e9;                           // features multiplied and added back by a pass
constexpr double kHeadsForTwice = 3;                             // heads that double the time of a pass of one
constexpr std::size_t kSearched = 6;                             // lambdas where none are given

}  // namespace

SolverForecast forecast_ridge(double n, double D, double outputs, std::size_t lambdas, int threads) {
  const double trials = double(lambdas == 0 ? kSearched : lambdas);
  const double factor = D * D * D / 3 / kDoubleProducts;
  const double gram = n * D * D / kFloatProducts;
  const double ratio = sketch_ratio(n, D);
  const double sketch = ratio * D * D * D / kFloatProducts;
  // One lambda is solved twice, the second time from close by; several share their passes.
  const double pass = n * D / kNumbersPassed * (1 + (outputs * std::min(trials, 3.0) - 1) / kHeadsForTwice);
  const double rounds = trials > 1 ? 1 + trials / 3 : 1;
  const double passes = (rounds * sketched_passes(ratio) + 3) * pass;
  return {(gram + (trials + 1) * factor) / threads,
          (sketch + (trials > 1 ? trials / 2 : 1) * factor + passes) / threads};
}

Fitted fit_ridge_by_choice(const Stream& stream, const Survey& survey, const RidgeOptions& options,
                           const Stream* validation, const std::function<void(const std::string&)>& say) {
  using Solver = RidgeOptions::Solver;
  const double n = double(survey.rows()), D = double(stream.features());
  bool cg = options.solver == Solver::cg;
  std::string note;
  if (options.solver == Solver::automatic && options.select != RidgeOptions::Select::leave_one_out &&
      (validation || !chooses_by_leave_one_out(options, n, D))) {
    const double outputs = double(target_code(stream.schema(), survey, options.intercept).columns());
    const SolverForecast f = forecast_ridge(n, D, outputs, options.lambdas.size(), stream.threads().count());
    cg = f.cg < f.cholesky;
    const double chosen = std::min(f.cg, f.cholesky), other = std::max(f.cg, f.cholesky);
    const char *name = cg ? "cg" : "cholesky", *other_name = cg ? "cholesky" : "cg";
    if (say) say(fmt::format("solver: {}, forecast {:.2g} s against {:.2g} s by {}", name, chosen, other, other_name));
    // The seconds depend on the threads, and the model must not.
    note = fmt::format("solver: {}, forecast {:.2g} times as fast as {}", name, other / chosen, other_name);
  }
  Fitted fitted =
      cg ? fit_ridge_cg(stream, survey, options, validation, say) : fit_ridge(stream, survey, options, validation);
  if (!note.empty()) fitted.report.notes.insert(fitted.report.notes.begin(), note);
  return fitted;
}

}  // namespace bochner
