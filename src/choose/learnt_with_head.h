// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/train.h"
#include "choose/map_parts.h"
#include "choose/plan_memory.h"
#include "learn/fit_memory.h"
#include "learn/ridge/ridge.h"

namespace bochner {

// A training whose map is learnt together with its head.
struct HeadTraining {
  const Stream* dense;  // the rows through the map of the other parts; null: there are none
  const Stream& rows;   // the rows as the map that is learnt sees them
  const Survey& survey;
  const TrainOptions& options;
  const TrainingMemory& memory;
  const Stream* validation;  // null: rows held out give the score
};

// What the plan and the training ask of a map that is learnt together with its head (MapKind::learnt_with_head), alone
// or beside dense features. inputs: 0 while unknown.
struct LearntWithHead {
  // Both refuse options that make no sense: std::invalid_argument.
  void (*check)(const TrainOptions& options, const PartPlan& part, std::size_t inputs);
  void (*check_mixed)(const TrainOptions& options, std::size_t inputs);
  // The scaling of its inputs if the options name none.
  ColumnScaling::Method (*scaling)(const PartPlan& part, const Schema& schema);
  // The most that the fit takes. size: of the rows; row_values: numbers of a row.
  MemoryPlan (*most_memory)(const TrainOptions& options, const PartPlan& part, std::size_t inputs, const FitSize& size,
                            double row_values);
  Fitted (*fit)(const HeadTraining& training);
};

// The one method that has such a map. src/methods/registered.cc says which.
const LearntWithHead& learnt_with_head();

}  // namespace bochner
