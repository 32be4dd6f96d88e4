// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/parts.h"
#include "bochner/train.h"
#include "learn/fit_memory.h"

namespace bochner {

// How a training shares the memory it may hold.
struct TrainingMemory {
  bool keep_rows = false;   // the rows as they are stay in memory
  std::size_t for_fit = 0;  // what the passes and the fit may hold of it
  MemoryPlan around;        // what is held beside that
};

// Plans the training of n rows, says the plan, and refuses one that does not fit with the largest number of features
// that would: std::invalid_argument.
TrainingMemory plan_training_memory(const Rows& rows, std::size_t n, const TrainOptions& options, int threads);

// A look over rows of this schema, before anything else is known of them: std::invalid_argument where their inputs
// alone do not fit.
void check_survey_memory(const Schema& schema, int threads, const Execution& execution);

// The same for the sums of one part, and for solving sums.
// step: features come in multiples of it, 0: their number is given.
void plan_sums_memory(FitSize size, const Schema& schema, std::size_t step, const TrainOptions& options);
void plan_solve_memory(std::size_t features, std::size_t outputs, int threads, const Execution& execution,
                       const std::function<void(const std::string&)>& say);

// What the program takes beside its work: code, libraries, threads, and the readers of so many files.
MemoryPlan program_memory(int threads, double readers);
// Says a plan that is worth it; std::invalid_argument with what the work needs if that is more than the limit.
void say_or_refuse(const MemoryPlan& plan, double limit, const std::string& what, const std::string& remedy,
                   const std::function<void(const std::string&)>& say);

// For a head on the caller's own rows and map, which are not counted.
void check_fit_memory(const MemoryPlan& plan, std::size_t features, const Execution& execution);

}  // namespace bochner
