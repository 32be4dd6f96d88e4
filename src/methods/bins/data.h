// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>
#include <vector>

#include "folds/survey.h"
#include "methods/bins/fit_binning.h"
#include "methods/bins/scales.h"

namespace bochner {

// The packed rows of a stream, their coded targets, and what the grids must know of the inputs.
template <class T>
struct GridData {
  TargetCode code;
  std::vector<std::string> names;     // one for each input; empty where they have none
  std::vector<std::uint32_t> groups;  // which inputs are indicators of one category
  GridRows<T> rows;
  GridTargets targets;

  // Gives the options the groups where their grids look at groups.
  GridData(const Stream& stream, const Survey& survey, BinningOptions& binning);

  std::vector<InputFacts> facts() const;  // spread of each input, and whether it is an indicator
};

// The fit with the squared loss by conjugate gradients: a hinge's length scales, and the lambda its own trials begin
// at, are those of the squared loss, whose trials cost a tenth.
GridFitOptions squared_fit(const BinningFit& options);

// Length scales (and lambda where it is open) by search; what was found goes into the options and the report. As many
// fits go side by side as there is room for beside `beside`.
template <class T>
void choose_scales(Threads& threads, const GridData<T>& data, BinningFit& options, Report& report,
                   const MemoryPlan& beside = {});

// The same of a stream's rows, which it packs for the search alone.
void choose_scales(const Stream& stream, const Survey& survey, BinningFit& options, Report& report);

// How large the options' grids will be on these rows, less the bins: those need the length scales.
template <class T>
GridSize grid_size(const GridData<T>& data, const BinningFit& options, int threads);

// What the fit may hold: as the options say, or the execution.
MemoryBudget budget_of(const BinningFit& options, const Execution& execution);

// The targets with the held rows' weights at 0: a fit leaves them out, and still knows what it predicts for them.
struct HeldOutTargets {
  GridTargets fitted;             // all rows
  GridTargets held;               // the held rows alone
  std::vector<std::size_t> rows;  // which they are

  HeldOutTargets(const GridTargets& all, std::uint64_t seed);
  static double fraction(std::size_t rows);  // the share held out: row i is, where its draw falls below

  // state: residuals (squared loss) or scores of all rows after a fit of `fitted`.
  GridTrial judge(const std::vector<float>& state, GridLoss loss, Task task) const;
};

// Coefficients in the units of the targets.
std::shared_ptr<const GridLinear> decoded(const std::shared_ptr<const GridLinear>& head, const TargetCode& code);

std::string bins_text(const GridLinear& head);  // "3898456 bins, 47 MB"

// The head's score on the rows of a stream.
Score score_on(const Stream& validation, const MapPtr& head, Task task);

}  // namespace bochner
