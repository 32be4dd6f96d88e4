// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bochner/execution.h"
#include "bochner/schema.h"
#include "methods/bins/fit.h"
#include "methods/bins/trial.h"

namespace bochner {

// What the search knows of an input beforehand.
struct InputFacts {
  double spread = 1;        // standard deviation
  bool indicator = false;   // holds two values: 0 and 1, say
  std::uint32_t group = 0;  // indicators of one group share a scale
};

// How large a search grows: what its memory is planned from.
constexpr std::size_t kSearchedGrids = 50;  // a fit has at most so many
constexpr double kHeldOutShare = 0.2;       // so much of the rows is held out,
constexpr double kMostHeldOut = 50000;      // but not more rows than these

struct GridScaleSearch {
  std::vector<double> length_scales;
  double lambda = 0;
  GridTrial best;
  std::size_t fits = 0;  // tried
};

// What is searched for, and on what; referred to, not copied.
template <class T>
struct GridScaleProblem {
  const GridRows<T>& rows;
  const GridTargets& targets;
  Task task;
  std::span<const InputFacts> inputs;
  const BinningOptions& binning;
  const GridFitOptions& fit;
  bool fixed_lambda = false;
  ProgressFunction progress = {};
};

// Length scales per input (and lambda, unless fixed) by search on a seeded sample: small fits, scored on rows held
// out. Scales move one by one, then all that helped together; steps shrink while the sample grows, because
// more rows support finer bins. Draws are the same for all candidates, so the score is nearly continuous in
// the scales and few held-out rows suffice. A candidate is fitted by one thread; the result does not depend
// on their number.
template <class T>
GridScaleSearch search_grid_scales(Threads& threads, const GridScaleProblem<T>& problem);

}  // namespace bochner
