// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/bins/plan_binning.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "methods/bins/any_learner.h"
#include "methods/bins/draw_grid.h"

namespace bochner {

namespace {

constexpr double kLowOrderLambda = 1;
constexpr std::size_t kSweeps = 5, kLowOrderSweeps = 1;
constexpr std::size_t kEpochs = 50;  // at most
constexpr int kMixedSweeps = 20;     // at most

int passes(const char* key, const std::optional<std::size_t>& given, std::size_t otherwise) {
  constexpr std::size_t kMost = 10000;
  const std::size_t count = given.value_or(otherwise);
  require(count >= 1 && count <= kMost, "map: found {}={}, expected 1 to {}", key, count, kMost);
  return int(count);
}

PitchLaw pitch_law(const Binning& given, const Kernel& kernel) {
  PitchLaw law;
  if (given.law)
    law = *given.law;
  else if (given.order_high > 0)
    law.family = PitchLaw::Family::log_uniform;
  else if (kernel.family == Kernel::Family::gaussian)
    law.family = PitchLaw::Family::hat;  // what a kernel left out is: hats of one width beat widths that scatter
  else
    require(kernel.family == Kernel::Family::laplacian,
            "map: the {} kernel is no mixture of hats, expected laplacian, or law=hat, reciprocal or log-uniform; or "
            "use the fourier map",
            kernel_name(kernel));
  law.low = given.low.value_or(law.low);
  law.high = given.high.value_or(law.high);
  return law;
}

// lambda in all: lambda n of ridge, 1 / C of the others. Several: the middle one, from which the search goes on.
double given_lambda(const TrainOptions& options, std::uint64_t rows, bool& given, BinningFit::Given& as,
                    double otherwise) {
  const LearnerOptions& learner = options.learner;
  const bool ridge = learner.learner == Learner::ridge;
  const std::vector<double>& lambdas = ridge ? options.ridge.lambdas : learner.lambdas;
  given = lambdas.size() == 1 || (!ridge && learner.C.size() == 1);
  as = BinningFit::Given::cost;
  if (!ridge && !learner.C.empty()) return 1 / learner.C[learner.C.size() / 2];
  as = BinningFit::Given::as_it_is;
  if (lambdas.empty()) return otherwise;
  as = BinningFit::Given::per_row;
  return lambdas[lambdas.size() / 2] * double(std::max<std::uint64_t>(rows, 1));
}

// Draws each grid of few inputs is chosen from: few rows gain from many, and pay little for them.
std::size_t default_pursuit(std::uint64_t rows) {
  return std::clamp<std::size_t>(400000 / std::max<std::uint64_t>(rows, 1), 10, 40);
}

// Conjugate gradients where they can; grids chosen one after the other are swept in that order.
void choose_solver(const Binning& given, Learner learner, GridFitOptions& fit) {
  const bool hinge = has_hinge(fit.loss);
  if (!has_grid_solver(learner)) {
    const char* name = learner_row(learner).name;
    require(!given.steps && !given.sweeps && !given.epochs,
            "map: found steps=, sweeps= or epochs=, which the learner {} does not have; use its tolerance", name);
  }
  require(hinge || !given.epochs, "map: found epochs=, which goes with the learner svm; use steps= or sweeps=");
  if (hinge) {
    require(!given.steps && !given.sweeps, "map: found steps= or sweeps=, expected epochs= for the learner svm");
    require(fit.pursuit == 1, "map: found pursuit={}, which needs the learner ridge or logistic", fit.pursuit);
    fit.solver = GridSolver::dual;
    fit.passes = passes("epochs", given.epochs, kEpochs);
    return;
  }
  const bool able = fit.loss == GridLoss::squared && fit.pursuit == 1;
  require(!given.steps || !given.sweeps, "map: found steps= and sweeps=, expected one of them");
  require(!given.steps || able,
          "map: found steps= (of conjugate gradients), which need the learner ridge and pursuit=1; use sweeps=");
  fit.solver = able && !given.sweeps ? GridSolver::conjugate : GridSolver::sweeps;
  fit.passes = fit.solver == GridSolver::conjugate
                   ? passes("steps", given.steps, kGridSteps)
                   : passes("sweeps", given.sweeps, given.order_high > 0 ? kLowOrderSweeps : kSweeps);
}

// Learners without a solver for grids choose length scales, and grids by pursuit, by the squared loss.
GridLoss grid_loss(const LearnerOptions& options) {
  const Learner learner = options.learner;
  if (learner == Learner::svm) return options.loss == MarginLoss::linear ? GridLoss::hinge : GridLoss::squared_hinge;
  return learner == Learner::logistic ? GridLoss::logistic : GridLoss::squared;
}

bool several_lambdas(const TrainOptions& options) {
  return options.ridge.lambdas.size() > 1 || options.learner.lambdas.size() > 1 || options.learner.C.size() > 1;
}

}  // namespace

BinningFit binning_fit(const TrainOptions& options, const PartPlan& part, std::size_t inputs, std::uint64_t rows) {
  const Binning& given = std::get<Binning>(part.request.options);
  require(given.order_low <= given.order_high && (given.order_low > 0) == (given.order_high > 0),
          "map: found order={}-{}, expected a number of inputs such as 2, or a range such as 1-2", given.order_low,
          given.order_high);
  BinningFit fit;
  BinningOptions& binning = fit.binning;
  binning.order_low = given.order_low;
  binning.order_high = given.order_high;
  const bool low_order = binning.order_high > 0;
  binning.law = pitch_law(given, part.request.kernel);
  binning.grids = map_size(*part.kind, part.request).features;
  binning.seed = part.request.seed;
  binning.min_rows = given.min_rows;
  binning.max_bins = given.max_bins;

  fit.fit.loss = grid_loss(options.learner);
  const bool pursued = low_order && !has_hinge(fit.fit.loss);
  fit.fit.pursuit = std::max<std::size_t>(1, given.pursuit.value_or(pursued ? default_pursuit(rows) : 1));
  choose_solver(given, options.learner.learner, fit.fit);
  if (options.learner.tolerance) fit.fit.tolerance = *options.learner.tolerance;
  fit.fit.progress = options.execution.progress;
  bool lambda_given = false;
  fit.fit.lambda = given_lambda(options, rows, lambda_given, fit.given, low_order ? kLowOrderLambda : kGridLambda);

  const Bandwidth& bandwidth = part.bandwidth;
  if (bandwidth.searched()) {
    fit.search_scales = !low_order || bandwidth.rule == Bandwidth::Rule::searched_per_input;
  } else {
    require(bandwidth.rule == Bandwidth::Rule::given,
            "bandwidth: found {}, expected numbers or auto for the binning map", bandwidth_words(bandwidth));
    binning.length_scales = bandwidth.length_scales;
  }
  // One sweep of chosen grids stops early, which does most of lambda's work: its default serves, and trials cost more
  // than the fit.
  fit.search_lambda = !lambda_given && (fit.search_scales || fit.fit.passes > 1 || several_lambdas(options));
  fit.given_start = several_lambdas(options);
  if (!has_grid_solver(options.learner.learner)) {  // a C given is of another loss
    fit.fit.lambda = low_order ? kLowOrderLambda : kGridLambda;
    fit.given = BinningFit::Given::as_it_is;
    fit.search_lambda = fit.search_scales;
  }
  if (inputs > 0) check_binning(inputs, binning);
  return fit;
}

MixtureFit mixture_fit(const TrainOptions& given, std::size_t inputs, std::uint64_t rows) {
  TrainOptions options = given;
  if (options.learner.learner != Learner::ridge) options.learner = {.seed = given.learner.seed};  // it chooses by ridge
  const std::vector<PartPlan> parts = map_parts(options);
  MixtureFit fit;
  bool weighted = false;
  std::size_t dense = 0;
  for (const PartPlan& part : parts) {
    weighted |= part.weight.has_value();
    if (!part.kind->learnt_with_head) {
      ++dense;
      continue;
    }
    fit.bins = binning_fit(options, part, inputs, rows);
    require(!std::get<Binning>(part.request.options).steps,
            "map: found steps= in a mixture, whose parts take turns; use sweeps=");
    if (fit.bins.fit.solver == GridSolver::conjugate) {
      fit.bins.fit.solver = GridSolver::sweeps;
      fit.bins.fit.passes = kMixedSweeps;
    }
    fit.bins_weight = part.weight.value_or(1);
  }
  if (!weighted) return fit;
  fit.dense_weight = 1;  // several dense parts have theirs in the map
  for (const PartPlan& part : parts)
    if (dense == 1 && !part.kind->learnt_with_head) fit.dense_weight = part.weight.value_or(1);
  return fit;
}

ColumnScaling::Method binning_scaling(const PartPlan& part, const Schema& schema) {
  const bool low_order = std::get<Binning>(part.request.options).order_high > 0;
  return low_order && !schema.sparse ? ColumnScaling::Method::quantile : ColumnScaling::Method::none;
}

}  // namespace bochner
