// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "base/require.h"

namespace bochner {

// Error::Kind::data if a number that a map makes of a row is not finite. row: the number of the row.
template <class T>
void check_outputs(std::span<const T> outputs, std::size_t row) {
  bool bad = false;  // no early end, so that the loop has no branches
  for (const T value : outputs) bad |= !(std::abs(value) <= std::numeric_limits<T>::max());
  if (bad)
    fail(Error::Kind::data, "row {}: its transform is not finite: an input is too large; divide it by its unit", row);
}

}  // namespace bochner
