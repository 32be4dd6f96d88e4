// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cmath>
#include <cstddef>

#include "base/require.h"

namespace bochner {

// Refuses a class target that is not the index of a label: it would be taken as a place in memory.
inline void check_class_target(double target, std::size_t labels, std::size_t row) {
  if (target >= 0 && target < double(labels) && target == std::floor(target)) return;
  require(
      false, "row {}: found the class target {}, expected the index of a label, a whole number from 0 to {}; {}", row,
      target, labels - 1,
      target == -1 ? "map the classes -1 and +1 to 0 and 1" : "number the classes from 0 in the order of the labels");
}

}  // namespace bochner
