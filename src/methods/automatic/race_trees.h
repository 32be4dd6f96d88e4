// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <span>
#include <vector>

#include "methods/automatic/boosted_trees.h"
#include "methods/automatic/race.h"

namespace bochner {

// Boosted trees over each input once: they win where thresholds rule, which kernels of distances blur. Once with few
// leaves a tree, so that inputs act nearly alone, once with more. The refit is from what `columns` put out. Nothing
// where they would take too long. In several folds the first is raced alone: kinds of trees that a blend of it with
// `others` hardly misses are told and race no further.
std::vector<Candidate> race_trees(const Workers& on, const RaceRows& rows, std::span<const TwofoldColumn> columns,
                                  const BoostingOptions& options, std::span<const Candidate> others,
                                  const MachineTalk& talk);

}  // namespace bochner
