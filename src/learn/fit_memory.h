// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>

#include "bochner/learner.h"
#include "bochner/ridge.h"
#include "folds/survey.h"
#include "run/memory_plan.h"
#include "run/stream.h"

namespace bochner {

// What decides how much memory a fit takes; known before the rows are read.
struct FitSize {
  std::size_t rows = 0, features = 0, outputs = 1, targets = 1;
  std::size_t nonzeros = 0;  // nonzeros of a row if the map puts out CSR; 0: it does not
  double map_weights = 0;    // numbers the map keeps per feature
  bool weighted = false;
  bool bounded = true;  // the map bounds its features
  bool validation = false;
  bool given = false;  // the map is the caller's and cannot be made smaller
  Precision precision = Precision::float32;
  std::size_t block_rows = 0;  // 0: chosen
  int threads = 1;

  double element() const { return precision == Precision::float32 ? sizeof(float) : sizeof(double); }
};

// Whether features are kept as CSR: where they are many. Few are better kept dense, since their Hessian can be
// factored.
inline bool keeps_csr(const FitSize& size) {
  constexpr std::size_t kFactored = 4096, kDense = 32;
  return size.nonzeros > 0 && size.features > std::min(kFactored, kDense * size.nonzeros);
}

// Scores of a row: its targets, or one of each class; of two classes one.
inline std::size_t outputs_of(const Schema& schema) {
  if (schema.task == Task::regression) return schema.targets;
  return schema.labels.size() == 2 ? 1 : schema.labels.size();
}

bool is_weighted(const Schema& schema);  // a column holds the weights of rows

// The size of a fit on this stream.
FitSize fit_size(const Stream& stream, const Survey& survey, std::size_t outputs, bool validation);

// What each fit holds at its peak beside the rows and whatever else its caller holds. memory: bytes it may take;
// buffers that only save time adapt to it.
MemoryPlan cholesky_memory(const FitSize& size, const RidgeOptions& options, double memory);
MemoryPlan cg_memory(const FitSize& size, const RidgeOptions& options, double memory);  // less the kept features
MemoryPlan dual_memory(const FitSize& size, const RidgeOptions& options, double memory);
MemoryPlan newton_memory(const FitSize& size, const LearnerOptions& options, double memory);  // less the kept features
MemoryPlan learner_memory(const FitSize& size, const LearnerOptions& options, double memory);
MemoryPlan sums_memory(const FitSize& size, double memory);                       // sums that are accumulated
MemoryPlan solve_memory(std::size_t features, std::size_t outputs, int threads);  // sums that a file holds

// Rows that are mapped at a time, where features are summed.
double mapped_memory(const FitSize& size, double memory);

// Bytes of all mapped rows in a store. rounded: where the map bounds its features.
double feature_bytes(const FitSize& size, bool rounded);
// Adds the features that a store keeps, as far as there is room.
MemoryPlan with_kept_features(MemoryPlan plan, const FitSize& size, bool rounded, double memory);
constexpr std::size_t kWideFeatures = 8192;  // factors of more features are too large to keep several
// Factors of the sketch that are kept at a time: more than one where several lambdas share their passes.
std::size_t cg_factors(std::size_t features, const RidgeOptions& options);

}  // namespace bochner
