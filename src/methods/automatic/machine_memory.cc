// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/machine_memory.h"

#include <algorithm>
#include <cmath>

namespace bochner {

namespace {

// The bytes of a draw: entries in double, four parts of them in float; the matrix and its factor.
double draw_bytes(FlowBatch batch) {
  const double fitted = double(batch.fitted);
  return 24 * fitted * (fitted + double(batch.scored)) + 6 * fitted * fitted;
}

// Bytes of a system divided by its squared number of rows: landmarks in two metrics, leaves for eight threads.
constexpr double kLandmarkBytes = 2 * 24, kLeafBytes = 8 * 16;

double grown(const MachineEffort& effort, std::size_t rows) { return double(rows) * (effort.grows ? 2 : 1); }

FlowBatch within_memory(FlowBatch batch, double bytes) {
  const double share = std::sqrt(std::min(1.0, bytes / draw_bytes(batch)));
  return {std::size_t(share * double(batch.fitted)), std::size_t(share * double(batch.scored))};
}

}  // namespace

double flow_bytes(const MachineEffort& effort) { return std::max(draw_bytes(effort.few), draw_bytes(effort.more)); }

double working_bytes(const MachineEffort& effort) {
  return std::max({flow_bytes(effort), double(kGroupsOfStep) * draw_bytes(effort.inside.batch),
                   kLandmarkBytes * std::pow(grown(effort, effort.most_landmarks), 2),
                   kLeafBytes * std::pow(grown(effort, effort.leaf.leaf_rows), 2)});
}

MachineEffort within_memory(MachineEffort effort, double bytes) {
  const auto most = [&](double of_each) { return std::size_t(std::sqrt(bytes / of_each) / grown(effort, 1)); };
  effort.few = within_memory(effort.few, bytes);
  effort.more = within_memory(effort.more, bytes);
  effort.inside.batch = within_memory(effort.inside.batch, bytes / double(kGroupsOfStep));
  effort.most_landmarks = std::min(effort.most_landmarks, most(kLandmarkBytes));
  effort.leaf.leaf_rows = std::min(effort.leaf.leaf_rows, most(kLeafBytes));
  return effort;
}

}  // namespace bochner
