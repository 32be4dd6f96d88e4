// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/nystroem.h"
#include "bochner/train.h"
#include "choose/map_parts.h"

namespace bochner {

// Whether the options ask for landmarks: "nystroem" or "nystroem:key=value,...".
bool asks_for_nystroem(const TrainOptions& options);

// What they say of it, refused where it makes no sense: std::invalid_argument. The kernel's length scales and a number
// of landmarks that was not given are left for the plan.
//   landmarks=uniform|leverage|rpcholesky   how they are chosen
//   tolerance=1e-6                          the residual below which one is left out
NystroemOptions nystroem_options(const TrainOptions& options);

// The same with the number of landmarks for so many rows; parts that share the features have their share.
NystroemOptions landmarks_of(const MapPart& part, std::uint64_t rows);

// Numbers of the features' size that are held for each landmark, while they are chosen or later.
double landmark_weights(const NystroemOptions& options, std::size_t inputs, std::uint64_t rows);

// One line on what became of the landmarks asked for.
std::string landmarks_note(const NystroemOptions& options, std::size_t found, std::size_t sampled);

}  // namespace bochner
