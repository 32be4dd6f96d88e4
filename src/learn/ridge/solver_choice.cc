// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/ridge/solver_choice.h"

#include "base/option.h"
#include "base/require.h"
#include "learn/learner.h"
#include "learn/ridge/ridge_cg.h"
#include "learn/ridge/ridge_dual.h"
#include "learn/sketched_gram.h"

namespace bochner {

namespace {

// Operations per second and core, multiply and add counted as two; whole products by Arm's i8mm. One rate for all
// computers: the faster solver must be the same one everywhere.
constexpr double kWholeProducts = 90e9, kFloatProducts = 50e9, kDoubleProducts = 25e9;
constexpr double kHeadsForTwice = 3;  // heads that double the time of a pass of one
constexpr std::size_t kSearched = 6;  // lambdas where none are given
constexpr double kWorthSaying = 1;    // seconds of another solver

}  // namespace

SolverForecast forecast_ridge(double n, double D, double outputs, std::size_t lambdas, int threads, bool whole) {
  const double trials = double(lambdas == 0 ? kSearched : lambdas);
  const double factor = D * D * D / 3 / kDoubleProducts;
  const double gram = n * D * D / (whole ? kWholeProducts : kFloatProducts);
  const double ratio = sketch_ratio(n, D);
  const double sketch = ratio * D * D * D / kWholeProducts;
  // One lambda is solved twice, the second time from close by; several share their passes.
  const double pass = n * D / kNumbersPassed * (1 + (outputs * std::min(trials, 3.0) - 1) / kHeadsForTwice);
  const double rounds = trials > 1 ? 1 + trials / 3 : 1;
  const double passes = (rounds * sketched_passes(ratio) + 3) * pass;
  // The products of rows, then a factor and the diagonal of its inverse for each lambda.
  const double dual = (n * n * D + (trials + 1) * n * n * n) / kDoubleProducts;
  return {(gram + (trials + 1) * factor) / threads,
          (sketch + (trials > 1 ? trials / 2 : 1) * factor + passes) / threads, dual / threads};
}

namespace {

using Solver = RidgeOptions::Solver;

MemoryPlan memory_of(Solver solver, const FitSize& size, const RidgeOptions& options, double memory) {
  return solver == Solver::cg     ? cg_memory(size, options, memory)
         : solver == Solver::dual ? dual_memory(size, options, memory)
                                  : cholesky_memory(size, options, memory);
}

const char* name_of(Solver solver) {
  return solver == Solver::cg ? "cg" : solver == Solver::dual ? "dual" : "cholesky";
}

}  // namespace

SolverChoice choose_solver(const FitSize& size, const RidgeOptions& options, double memory) {
  const double n = double(size.rows), D = double(size.features);
  require(!options.deviation || options.solver == Solver::automatic || options.solver == Solver::cholesky,
          "{}: found with the solver {}, expected cholesky: the others have no factor of the features",
          Option::deviation, name_of(options.solver));
  if (options.deviation) return {Solver::cholesky, {}, {}};
  if (options.solver != Solver::automatic) return {options.solver, {}, {}};
  const SolverForecast f = forecast_ridge(n, D, double(size.outputs), options.lambdas.size(), size.threads,
                                          size.bounded && size.precision == Precision::float32);
  const auto fits = [&](Solver solver) { return memory_of(solver, size, options, memory).total() <= memory; };
  const bool left_out = !size.validation && chooses_by_leave_one_out(options, n, D);
  // Exact as Cholesky is; its leave-one-out comes with it, where Cholesky's costs n D^2 more for each lambda.
  if (n < D && options.select != RidgeOptions::Select::hold_out &&
      (left_out || (f.dual < f.cholesky && f.dual < f.cg)) && (fits(Solver::dual) || !fits(Solver::cholesky))) {
    SolverChoice choice{Solver::dual, {}, fmt::format("solver: dual, for fewer rows than features")};
    if (f.cholesky >= kWorthSaying)
      choice.said = fmt::format("solver: dual, forecast {:.2g} s against {:.2g} s by cholesky", f.dual, f.cholesky);
    return choice;
  }
  SolverChoice choice;
  if (options.select == RidgeOptions::Select::leave_one_out || left_out) return choice;
  const Solver faster = f.cg < f.cholesky ? Solver::cg : Solver::cholesky,
               slower = faster == Solver::cg ? Solver::cholesky : Solver::cg;
  choice.solver = fits(faster) || !fits(slower) ? faster : slower;
  const char *name = name_of(choice.solver), *other = name_of(choice.solver == faster ? slower : faster);
  if (choice.solver != faster) {
    choice.said = choice.noted = fmt::format("solver: {}, since {} does not fit into the memory", name, other);
    return choice;
  }
  const double least = std::min(f.cg, f.cholesky), most = std::max(f.cg, f.cholesky);
  choice.said = fmt::format("solver: {}, forecast {:.2g} s against {:.2g} s by {}", name, least, most, other);
  choice.noted = fmt::format("solver: {}, forecast {:.2g} times as fast as {}", name, most / least, other);
  return choice;
}

namespace {

bool by_newton(const FitSize& size, const RidgeOptions& options) {
  return options.solver == Solver::automatic && !options.deviation && keeps_csr(size);
}

// The same problem in the words of the other learners: lambda n = 1 / C.
LearnerOptions as_learner(const RidgeOptions& options) {
  LearnerOptions learner;
  learner.lambdas = options.lambdas;
  learner.intercept = options.intercept;
  learner.tolerance = options.tolerance;
  learner.most_steps = int(options.most_steps);
  learner.seed = options.seed;
  return learner;
}

}  // namespace

MemoryPlan ridge_memory(const FitSize& size, const RidgeOptions& options, double memory) {
  if (by_newton(size, options)) return learner_memory(size, as_learner(options), memory);
  const Solver solver = choose_solver(size, options, memory).solver;
  MemoryPlan plan = memory_of(solver, size, options, memory);
  if (solver != Solver::cg) return plan;
  return with_kept_features(std::move(plan), size, true, memory);
}

Fitted fit_ridge_by_choice(const Stream& stream, const Survey& survey, const RidgeOptions& options,
                           const Stream* validation, const std::function<void(const std::string&)>& say) {
  const std::size_t outputs = target_code(stream.schema(), survey, options.intercept).columns();
  const FitSize size = fit_size(stream, survey, outputs, validation != nullptr);
  if (by_newton(size, options)) return fit_learner(stream, survey, as_learner(options), validation, say);
  const SolverChoice choice = choose_solver(size, options, double(memory_limit(stream.execution())));
  if (say && !choice.said.empty()) say(choice.said);
  Fitted fitted = choice.solver == Solver::cg     ? fit_ridge_cg(stream, survey, options, validation, say)
                  : choice.solver == Solver::dual ? fit_ridge_dual(stream, survey, options, validation)
                                                  : fit_ridge(stream, survey, options, validation);
  if (!choice.noted.empty()) fitted.report.notes.insert(fitted.report.notes.begin(), choice.noted);
  return fitted;
}

}  // namespace bochner
