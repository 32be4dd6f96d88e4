// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <vector>

#include "bochner/matrix.h"
#include "bochner/row_block.h"
#include "bochner/schema.h"

namespace bochner {

// Whether float, so far from zero, loses what tells numbers of this spread apart.
constexpr bool lost_in_float(double distance, double spread) {
  constexpr double kRounding = 0x1p-25, kMatters = 0x1p-17;
  return distance * kRounding > kMatters * spread;
}

// How targets enter least squares: numbers centred and divided by their range, so that they lie in [-1, 1];
// classes as -1 and +1, one column for two classes and one per class for more.
struct TargetCode {
  Task task = Task::regression;
  std::size_t classes = 0;
  std::vector<double> center, unit;  // regression: code = (y - center) / unit, one entry per target

  std::size_t columns() const {
    if (task == Task::regression) return center.size();
    return classes == 2 ? 1 : classes;
  }

  double encode(const double* targets, std::size_t column) const {
    if (task == Task::regression) return (targets[column] - center[column]) / unit[column];
    const auto label = static_cast<std::size_t>(targets[0]);
    return classes == 2 ? (label == 1 ? 1.0 : -1.0) : (label == column ? 1.0 : -1.0);
  }

  bool operator==(const TargetCode&) const = default;
};

}  // namespace bochner
