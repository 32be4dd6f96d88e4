// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace bochner {

template <class T>
bool all_finite(std::span<const T> values) {
  return std::all_of(values.begin(), values.end(), [](T value) { return std::isfinite(value); });
}

}  // namespace bochner
