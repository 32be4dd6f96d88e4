// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <vector>

#include "methods/automatic/race.h"

namespace bochner {

// What a Gaussian process in the better metric does not know.
struct KernelVariance {
  std::vector<double> held;  // one per row held out, by the landmarks of its own fold
  MapPtr map;                // any row, by the landmarks of the first fold
};

struct RacedKernels {
  std::vector<Candidate> candidates;  // a scale per input, directions of inputs, nothing learnt
  Metric diagonal;                    // the first fold's
  std::function<KernelVariance()> variance;
};

// Machines in metrics that are learnt on the rows not held out, in each fold anew; a refit is the mean of the folds'
// machines on all rows. `on` and `rows` must outlive the candidates, whose maps begin at `inputs`.
RacedKernels race_kernels(const Workers& on, const RaceRows& rows, const MapPtr& inputs, const MachineEffort& effort,
                          std::uint64_t seed, const MachineTalk& talk);

}  // namespace bochner
