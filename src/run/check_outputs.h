// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "base/require.h"

namespace bochner {

// No early end, so that the loop has no branches.
template <class T>
bool all_finite(std::span<const T> outputs) {
  bool bad = false;
  for (const T value : outputs) bad |= !(std::abs(value) <= std::numeric_limits<T>::max());
  return !bad;
}

// Error::Kind::data if a number that a map makes of a row is not finite. row: the number of the row.
template <class T>
void check_outputs(std::span<const T> outputs, std::size_t row) {
  if (!all_finite(outputs))
    fail(Error::Kind::data, "row {}: its transform is not finite: an input is too large; divide it by its unit", row);
}

}  // namespace bochner
