// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cmath>
#include <cstddef>

#include "base/require.h"
#include "bochner/schema.h"

namespace bochner {

// Refuses a class target that is not the index of a label: it would be taken as a place in memory.
inline void check_class_target(double target, std::size_t labels, std::size_t row) {
  if (target >= 0 && target < double(labels) && target == std::floor(target)) return;
  require(
      false, "row {}: found the class target {}, expected the index of a label, a whole number from 0 to {}; {}", row,
      target, labels - 1,
      target == -1 ? "map the classes -1 and +1 to 0 and 1" : "number the classes from 0 in the order of the labels");
}

// The same of all targets in memory, rows x count.
inline void check_class_targets(const double* targets, std::size_t rows, std::size_t count, const Schema& schema) {
  if (schema.task == Task::regression || !targets || count == 0) return;
  require(!schema.labels.empty(),
          "memory rows: the schema has no labels, expected one per class; set Schema::labels, or choose regression");
  require(count == 1, "memory rows: {} targets for classification, expected one; give one target", count);
  for (std::size_t i = 0; i < rows; ++i) check_class_target(targets[i], schema.labels.size(), i);
}

}  // namespace bochner
