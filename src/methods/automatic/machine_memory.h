// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "methods/automatic/metric_machine.h"

namespace bochner {

// What learning a metric holds beside the rows.
double flow_bytes(const MachineEffort& effort);

// What the largest of its systems takes, rows aside: the kernel of a draw with the parts of its derivatives, the sums
// of landmarks, or the leaves that threads solve at once.
double working_bytes(const MachineEffort& effort);
// The same effort with draws, landmarks and leaves so few that these fit. Threads do not count: a model is the same for
// any number of them.
MachineEffort within_memory(MachineEffort effort, double bytes);

}  // namespace bochner
