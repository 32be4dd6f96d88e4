// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "methods/bins/fit.h"
#include "methods/bins/trial.h"

namespace bochner {

// The rows whose draw lies in [from, to) of the unit interval, and their targets.
template <class T>
struct GridSample {
  GridRows<T> rows;
  GridTargets targets;

  GridSample(Threads& threads, const GridRows<T>& all, const GridTargets& y, std::uint64_t seed, double from,
             double to);
};

// A small fit on one sample that is judged on another. The bins serve for any lambda.
template <class T>
class GridTrialFit {
 public:
  GridTrialFit(Threads& threads, const GridSample<T>& train, const GridSample<T>& held_out,
               const BinningOptions& binning);

  // Runs on one thread, which may be one of the team's; `stop` is asked now and then.
  GridTrial judge(const GridFitOptions& options, Task task, double steep, const CancelFunction& stop) const;

 private:
  std::vector<std::vector<float>> values(Threads& alone, const GridFitOptions& options,
                                         const std::vector<double>& intercept) const;

  const GridSample<T>&train_, &held_out_;
  GridBins bins_;
  std::vector<std::uint32_t> columns_;  // grids x rows held out
};

}  // namespace bochner
