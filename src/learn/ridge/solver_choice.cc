// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/ridge/solver_choice.h"

#include "base/require.h"
#include "learn/ridge/ridge_cg.h"
#include "learn/ridge/sketched_gram.h"

namespace bochner {

namespace {

// Per second and core.
constexpr double kFloatProducts = 50e9, kDoubleProducts = 25e9;  // multiply and add counted as two
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

SolverChoice choose_solver(const FitSize& size, const RidgeOptions& options, double memory) {
  using Solver = RidgeOptions::Solver;
  const double n = double(size.rows), D = double(size.features);
  SolverChoice choice{options.solver == Solver::cg, {}, {}};
  if (options.solver != Solver::automatic || options.select == RidgeOptions::Select::leave_one_out ||
      (!size.validation && chooses_by_leave_one_out(options, n, D)))
    return choice;
  const SolverForecast f = forecast_ridge(n, D, double(size.outputs), options.lambdas.size(), size.threads);
  const auto fits = [&](bool cg) {
    return (cg ? cg_memory(size, options, memory) : cholesky_memory(size, options, memory)).total() <= memory;
  };
  const bool faster = f.cg < f.cholesky;
  choice.cg = fits(faster) || !fits(!faster) ? faster : !faster;
  const char *name = choice.cg ? "cg" : "cholesky", *other = choice.cg ? "cholesky" : "cg";
  if (choice.cg != faster) {
    choice.said = choice.noted = fmt::format("solver: {}, since {} does not fit into the memory", name, other);
    return choice;
  }
  const double least = std::min(f.cg, f.cholesky), most = std::max(f.cg, f.cholesky);
  choice.said = fmt::format("solver: {}, forecast {:.2g} s against {:.2g} s by {}", name, least, most, other);
  choice.noted = fmt::format("solver: {}, forecast {:.2g} times as fast as {}", name, most / least, other);
  return choice;
}

MemoryPlan ridge_memory(const FitSize& size, const RidgeOptions& options, double memory) {
  if (!choose_solver(size, options, memory).cg) return cholesky_memory(size, options, memory);
  MemoryPlan plan = cg_memory(size, options, memory);
  const double all = cg_feature_bytes(size), left = std::max(memory - plan.total(), 0.0);
  return plan.add(all <= left ? "features" : fmt::format("features (of {})", size_text(all)), std::min(all, left));
}

Fitted fit_ridge_by_choice(const Stream& stream, const Survey& survey, const RidgeOptions& options,
                           const Stream* validation, const std::function<void(const std::string&)>& say) {
  const std::size_t outputs = target_code(stream.schema(), survey, options.intercept).columns();
  const SolverChoice choice = choose_solver(fit_size(stream, survey, outputs, validation != nullptr), options,
                                            double(memory_limit(stream.execution())));
  if (say && !choice.said.empty()) say(choice.said);
  Fitted fitted = choice.cg ? fit_ridge_cg(stream, survey, options, validation, say)
                            : fit_ridge(stream, survey, options, validation);
  if (!choice.noted.empty()) fitted.report.notes.insert(fitted.report.notes.begin(), choice.noted);
  return fitted;
}

}  // namespace bochner
