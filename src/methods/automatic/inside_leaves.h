// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>

#include "methods/automatic/metric_machine.h"

namespace bochner {

// Whether there are leaves enough.
bool learns_inside_leaves(const InsideEffort& effort, double rows);

// A metric for leaves, learnt inside such: rows near to each other, as dense there as all rows are, teach what a draw
// of a few thousand from far and wide cannot. It goes on from `start`, by scales or directions as that one, and has to
// lower the error of ridges inside leaves on the rows held out. None where it does not, or where there are too few
// rows. u: the rows as `start` projects them.
std::optional<Metric> learn_inside_leaves(const Workers& on, const MachineRows& rows, MatrixView<const float> u,
                                          const Metric& start, const InsideEffort& effort, std::uint64_t seed);

}  // namespace bochner
