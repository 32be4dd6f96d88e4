// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/learner.h"
#include "learn/fit_memory.h"
#include "learn/ridge/ridge.h"

namespace bochner {

// A learner that is no loss on features, such as k-NN: its method fits it and plans its memory.
struct OwnFit {
  Learner learner;
  Fitted (*fit)(const Stream& stream, const Survey& survey, const LearnerOptions& options, const Stream* validation);
  MemoryPlan (*memory)(const FitSize& size);
};

// Null: the learner is a loss, which fit_learner() minimises. src/methods/registered.cc has the table.
const OwnFit* own_fit(Learner learner);

}  // namespace bochner
