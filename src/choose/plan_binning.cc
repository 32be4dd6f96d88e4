// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "choose/plan_binning.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/require.h"
#include "base/spec.h"
#include "choose/map_parts.h"
#include "choose/plan.h"
#include "maps/draw_grid.h"

namespace bochner {

namespace {

constexpr std::size_t kGrids = 50;           // of all inputs
constexpr std::size_t kLowOrderGrids = 300;  // of few
constexpr double kLowOrderLambda = 1;
constexpr std::size_t kSweeps = 5, kLowOrderSweeps = 1;
constexpr std::size_t kEpochs = 50;  // at most
constexpr int kMixedSweeps = 20;     // at most

std::size_t whole(const Spec& spec, const char* key, std::size_t otherwise) {
  const double value = spec.number(key, double(otherwise));
  require(value >= 0 && value == std::floor(value) && value < 1e15, "map: found {}={}, expected a whole number", key,
          spec.text(key, ""));
  return std::size_t(value);
}

int passes(const Spec& spec, const char* key, std::size_t otherwise) {
  constexpr std::size_t kMost = 10000;
  const std::size_t count = whole(spec, key, otherwise);
  require(count >= 1 && count <= kMost, "map: found {}={}, expected 1 to {}", key, count, kMost);
  return int(count);
}

// "2" or "1-3".
void parse_order(const Spec& spec, BinningOptions& binning) {
  const std::string text = spec.text("order", "");
  if (text.empty()) return;
  const char *p = text.data(), *end = p + text.size();
  auto [next, ok] = std::from_chars(p, end, binning.order_low);
  binning.order_high = binning.order_low;
  if (ok == std::errc() && next != end && *next == '-') {
    const auto [last, fine] = std::from_chars(next + 1, end, binning.order_high);
    next = last;
    ok = fine;
  }
  require(ok == std::errc() && next == end && binning.order_low >= 1 && binning.order_low <= binning.order_high,
          "map: found order={}, expected a number of inputs such as 2, or a range such as 1-2", text);
}

PitchLaw parse_law(const Spec& spec, const TrainOptions& options, bool low_order) {
  PitchLaw law;
  if (spec.has("law"))
    law = parse_pitch_law(spec.text("law", ""));
  else if (low_order)
    law.family = PitchLaw::Family::log_uniform;
  else if (options.kernel.family == Kernel::Family::gaussian)
    law.family = PitchLaw::Family::hat;  // what a kernel left out is: hats of one width beat widths that scatter
  else
    require(options.kernel.family == Kernel::Family::laplacian,
            "map: the {} kernel is no mixture of hats, expected laplacian, or law=hat, reciprocal or log-uniform; or "
            "use the fourier map",
            kernel_name(options.kernel));
  law.low = spec.number("low", law.low);
  law.high = spec.number("high", law.high);
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
void choose_solver(const Spec& spec, bool low_order, GridFitOptions& fit) {
  const bool hinge = has_hinge(fit.loss);
  require(hinge || !spec.has("epochs"), "map: found epochs=, which goes with --learner svm; use steps= or sweeps=");
  if (hinge) {
    require(!spec.has("steps") && !spec.has("sweeps"),
            "map: found steps= or sweeps=, expected epochs= for --learner svm");
    require(fit.pursuit == 1, "map: found pursuit={}, which needs --learner ridge or logistic", fit.pursuit);
    fit.solver = GridSolver::dual;
    fit.passes = passes(spec, "epochs", kEpochs);
    return;
  }
  const bool able = fit.loss == GridLoss::squared && fit.pursuit == 1;
  require(!spec.has("steps") || !spec.has("sweeps"), "map: found steps= and sweeps=, expected one of them");
  require(!spec.has("steps") || able,
          "map: found steps= (of conjugate gradients), which need --learner ridge and pursuit=1; use sweeps=");
  fit.solver = able && !spec.has("sweeps") ? GridSolver::conjugate : GridSolver::sweeps;
  fit.passes = fit.solver == GridSolver::conjugate ? passes(spec, "steps", kGridSteps)
                                                   : passes(spec, "sweeps", low_order ? kLowOrderSweeps : kSweeps);
}

GridLoss grid_loss(const LearnerOptions& options) {
  const Learner learner = options.learner;
  require(learner == Learner::ridge || learner == Learner::logistic || learner == Learner::svm,
          "map: binning has the learners ridge, logistic and svm; use the fourier map for the others");
  if (learner == Learner::svm) return options.loss == MarginLoss::linear ? GridLoss::hinge : GridLoss::squared_hinge;
  return learner == Learner::ridge ? GridLoss::squared : GridLoss::logistic;
}

bool several_lambdas(const TrainOptions& options) {
  return options.ridge.lambdas.size() > 1 || options.learner.lambdas.size() > 1 || options.learner.C.size() > 1;
}

}  // namespace

BinningFit binning_fit(const TrainOptions& options, std::size_t inputs, std::uint64_t rows) {
  const Spec spec(options.map);
  spec.allow({"law", "low", "high", "order", "pursuit", "min_rows", "max_bins", "sweeps", "steps", "epochs"});
  BinningFit fit;
  BinningOptions& binning = fit.binning;
  parse_order(spec, binning);
  const bool low_order = binning.order_high > 0;
  binning.law = parse_law(spec, options, low_order);
  binning.grids = options.features ? options.features : low_order ? kLowOrderGrids : kGrids;
  binning.seed = options.seed;
  binning.min_rows = whole(spec, "min_rows", 1);
  binning.max_bins = whole(spec, "max_bins", 0);

  fit.fit.loss = grid_loss(options.learner);
  const bool pursued = low_order && !has_hinge(fit.fit.loss);
  fit.fit.pursuit = std::max<std::size_t>(1, whole(spec, "pursuit", pursued ? default_pursuit(rows) : 1));
  choose_solver(spec, low_order, fit.fit);
  if (options.learner.tolerance) fit.fit.tolerance = *options.learner.tolerance;
  fit.fit.progress = options.execution.progress;
  bool lambda_given = false;
  fit.fit.lambda = given_lambda(options, rows, lambda_given, fit.given, low_order ? kLowOrderLambda : kGridLambda);

  if (options.bandwidth.empty() || options.bandwidth == "auto") {
    fit.search_scales = !low_order || options.bandwidth == "auto";
  } else {
    require(options.bandwidth != "scale" && options.bandwidth != "median",
            "bandwidth: found {}, expected numbers or auto for the binning map", options.bandwidth);
    binning.length_scales = parse_bandwidth(options.bandwidth);
  }
  // One sweep of chosen grids stops early, which does most of lambda's work: its default serves, and trials cost more
  // than the fit.
  fit.search_lambda = !lambda_given && (fit.search_scales || fit.fit.passes > 1 || several_lambdas(options));
  fit.given_start = several_lambdas(options);
  if (inputs > 0) check_binning(inputs, binning);
  return fit;
}

MixtureFit mixture_fit(const TrainOptions& options, std::size_t inputs, std::uint64_t rows) {
  require(options.learner.learner == Learner::ridge,
          "map: bins with dense features have the learner ridge; use one of the two maps for the others");
  const std::vector<MapPart> parts = map_parts(options);
  MixtureFit fit;
  bool weighted = false;
  std::size_t dense = 0;
  for (const MapPart& part : parts) {
    weighted |= part.weight.has_value();
    if (!part.binning()) {
      ++dense;
      continue;
    }
    fit.bins = binning_fit(part.options, inputs, rows);
    const Spec spec(part.options.map);
    require(!spec.has("steps"), "map: found steps= in a mixture, whose parts take turns; use sweeps=");
    if (fit.bins.fit.solver == GridSolver::conjugate) {
      fit.bins.fit.solver = GridSolver::sweeps;
      fit.bins.fit.passes = kMixedSweeps;
    }
    fit.bins_weight = part.weight.value_or(1);
  }
  if (!weighted) return fit;
  fit.dense_weight = 1;  // several dense parts have theirs in the map
  for (const MapPart& part : parts)
    if (dense == 1 && !part.binning()) fit.dense_weight = part.weight.value_or(1);
  return fit;
}

ColumnScaling::Method binning_scaling(const TrainOptions& options, const Schema& schema) {
  const bool low_order = Spec(options.map).has("order");
  return low_order && !schema.sparse ? ColumnScaling::Method::quantile : ColumnScaling::Method::none;
}

}  // namespace bochner
