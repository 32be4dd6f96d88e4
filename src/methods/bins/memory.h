// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <string>

#include "bochner/binning.h"
#include "methods/bins/rows.h"
#include "run/memory_plan.h"

namespace bochner {

// What decides how much memory grids take. How many bins rows occupy is known once the rows are packed and the length
// scales chosen: a few grids are counted and stand for the others.
struct GridSize {
  std::size_t rows = 0, outputs = 1, grids = 1;
  double packed = 0;  // bytes of the packed rows
  double bins = 0;    // occupied bins of one grid
  bool logistic = false, weighted = false, regression = false;
  bool conjugate = false;  // fitted by conjugate gradients, or after trials by them
  bool dual = false;       // fitted by dual coordinate descent: holds the bins of all rows, and some turned into them
  bool trials = false;     // trials on rows held out
  bool pursuit = false;
  double drawn = 0;  // bytes of the bins that pursuit keeps from fit to fit
  int threads = 1;
};

// What a fit may hold, and where its plan is said.
struct MemoryBudget {
  double bytes = 0;   // for the fit
  MemoryPlan around;  // what is held beside it
  std::function<void(const std::string&)> say = {};

  double limit() const { return around.total() + bytes; }
};

template <class T>
double packed_bytes(const GridRows<T>& rows);

// Bins that the rows occupy in a grid: the mean of a few grids and twice its standard error, at most max_bins.
template <class T>
double count_bins(Threads& threads, const GridRows<T>& rows, const BinningOptions& binning);

// The fit and the saving of what it found, at their peak. batch: grids whose bins of all rows are held at a time.
MemoryPlan grid_fit_memory(const GridSize& size, std::size_t batch);
// The search for length scales. at_once: fits side by side. Their bins are bounded by half of the rows: length scales
// that leave most rows alone in their bins predict no others.
MemoryPlan grid_search_memory(const GridSize& size, int at_once);

// Plans the fit, says the plan, and refuses what does not fit with the largest number of grids that would:
// std::invalid_argument. beside: what else is held. wanted: more bytes that would save time.
struct GridShares {
  std::size_t columns = 0;  // bytes for the bins of rows
  std::size_t wanted = 0;   // bytes of those wanted
};
GridShares plan_grid_fit(const GridSize& size, const MemoryBudget& budget, const MemoryPlan& beside = {},
                         double wanted = 0);
// The same for the search; how many fits go side by side.
int plan_grid_search(const GridSize& size, const MemoryBudget& budget, const MemoryPlan& beside = {});

}  // namespace bochner
