// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <string>

#include "learn/fit_memory.h"
#include "learn/ridge/ridge.h"

namespace bochner {

// Seconds each solver needs beyond what both do, by the operations they count and the rates of a core of 2020.
// The same on every machine, so that a choice made from it does not depend on the machine or its load.
struct SolverForecast {
  double cholesky = 0, cg = 0, dual = 0;
};
SolverForecast forecast_ridge(double rows, double features, double outputs, std::size_t lambdas, int threads,
                              bool whole);

// The solver the options name; otherwise the one that is forecast to be faster, if it fits into the memory or the
// other does not either.
struct SolverChoice {
  RidgeOptions::Solver solver = RidgeOptions::Solver::cholesky;  // never automatic
  std::string said;                                              // message with seconds, which depend on the threads
  std::string noted;  // the model's note, without the seconds; empty if there was no choice
};
SolverChoice choose_solver(const FitSize& size, const RidgeOptions& options, double memory);

// What the chosen solver holds, with the features that conjugate gradients keep where there is room.
MemoryPlan ridge_memory(const FitSize& size, const RidgeOptions& options, double memory);

// Ridge by the solver the options name, or by the one that is forecast to be faster. Says which, and why.
Fitted fit_ridge_by_choice(const Stream& stream, const Survey& survey, const RidgeOptions& options,
                           const Stream* validation = nullptr, const std::function<void(const std::string&)>& say = {});

}  // namespace bochner
