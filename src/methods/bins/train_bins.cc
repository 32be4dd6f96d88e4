// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/bins/train_bins.h"

#include <algorithm>

#include "learn/learner.h"
#include "methods/bins/any_learner.h"
#include "methods/bins/plan_binning.h"

namespace bochner {

namespace {

void check_bins(const TrainOptions& options, const PartPlan& part, std::size_t inputs) {
  binning_fit(options, part, inputs, 0);
}

void check_mixed_bins(const TrainOptions& options, std::size_t inputs) { mixture_fit(options, inputs, 0); }

MemoryPlan most_of_bins(const TrainOptions& options, const PartPlan& part, std::size_t inputs, const FitSize& fitted,
                        double row_values) {
  const BinningFit fit = binning_fit(options, part, inputs, fitted.rows);
  const double n = double(fitted.rows);
  GridSize size;
  size.rows = fitted.rows;
  size.outputs = fitted.outputs;
  size.grids = fit.binning.grids;
  size.packed = n * (row_values * (fitted.element() + 4) + 4);
  size.bins = n / 2;
  if (fit.binning.max_bins > 0) size.bins = std::min(size.bins, double(fit.binning.max_bins));
  size.conjugate = fit.fit.solver == GridSolver::conjugate;
  size.dual = fit.fit.solver == GridSolver::dual;
  size.threads = fitted.threads;
  const MemoryPlan plan = grid_fit_memory(size, size.dual ? size.grids : 1);
  return fit.search_scales ? peak_of({plan, grid_search_memory(size, 1)}) : plan;
}

MemoryBudget budget(const HeadTraining& training) {
  return {double(training.memory.for_fit), training.memory.around, training.options.say};
}

Fitted fit_alone(const HeadTraining& training) {
  const Stream& rows = training.rows;
  const TrainOptions& options = training.options;
  const Learner learner = options.learner.learner;
  if (learner != Learner::ridge) check_learner(rows.schema(), options.learner);
  BinningFit bins = binning_fit(options, map_parts(options)[0], rows.features(), training.survey.rows());
  bins.budget = budget(training);
  return has_grid_solver(learner) ? fit_binning(rows, training.survey, bins, training.validation)
                                  : fit_learner_on_bins(nullptr, rows, training.survey, {.bins = bins}, options.learner,
                                                        training.validation);
}

Fitted fit_mixed(const HeadTraining& training) {
  const Stream &dense = *training.dense, &rows = training.rows;
  const TrainOptions& options = training.options;
  MixtureFit mixture = mixture_fit(options, rows.features(), training.survey.rows());
  mixture.bins.budget = budget(training);
  return options.learner.learner == Learner::ridge
             ? fit_mixture(dense, rows, training.survey, mixture, training.validation)
             : fit_learner_on_bins(&dense, rows, training.survey, mixture, options.learner, training.validation);
}

Fitted fit_with_bins(const HeadTraining& training) {
  return training.dense ? fit_mixed(training) : fit_alone(training);
}

constexpr LearntWithHead kLearntBins{.check = check_bins,
                                     .check_mixed = check_mixed_bins,
                                     .scaling = binning_scaling,
                                     .most_memory = most_of_bins,
                                     .fit = fit_with_bins};

}  // namespace

const LearntWithHead& bins_learnt_with_head() { return kLearntBins; }

}  // namespace bochner
