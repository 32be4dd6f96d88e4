// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>
#include <vector>

namespace bochner {

// A deviation of so much of the largest target is rounding.
constexpr double kConstantTarget = 1e-14;

// The deviation of normal errors with this median of sizes, which outliers do not move. Sizes: at least one.
inline double robust_deviation(std::vector<double> sizes) {
  constexpr double kMedianPerDeviation = 0.6744897501960817;
  const auto middle = sizes.begin() + std::ptrdiff_t(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle / kMedianPerDeviation;
}

}  // namespace bochner
