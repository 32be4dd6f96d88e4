// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "methods/automatic/metric_machine.h"

namespace bochner {

// The metrics that the flow finds on the rows not held out: diagonal and full. Many targets are learnt from by random
// sums of them, which keep squared errors in the mean.
std::vector<Metric> learn_metrics(const Workers& on, const MachineRows& rows, const MachineEffort& effort,
                                  std::uint64_t seed, const MachineTalk& talk);

constexpr std::size_t kMostFlowTargets = 32;
// Targets of the rows listed; of more than kMostFlowTargets as many random sums.
Matrix<double> flow_targets(MatrixView<const double> y, const std::vector<std::uint32_t>& rows, std::uint64_t seed);

// A metric and its loss as numbers, for a checkpoint, and back. full_inputs: 0 where it is diagonal.
std::vector<double> packed(const Metric& metric, double loss);
Metric unpacked(const std::vector<double>& numbers, std::size_t full_inputs);

}  // namespace bochner
