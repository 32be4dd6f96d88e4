// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "learn/fit_memory.h"
#include "learn/learn_on.h"
#include "learn/ridge/ridge.h"

namespace bochner {

// The rows of the stream become the points of a k-NN head. How many neighbours are heard, and whether they weigh by the
// kernel and by which part of its length scale, is what predicts rows best without themselves: all of them, or some
// where they are many; or the validation rows.
Fitted fit_knn(const Stream& stream, const Survey& survey, const LearnerOptions& options,
               const Stream* validation = nullptr);

// Rows come and go as points; how many are heard, and how, stays.
extern const LearnsOn kNeighborsLearnOn;

MemoryPlan knn_memory(const FitSize& size);

}  // namespace bochner
