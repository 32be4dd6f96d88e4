// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "bochner/map.h"

namespace bochner {

// For Map::largest_coefficient(): of numbers, and of the maps that one is made of.
template <class T>
double largest_size(std::span<const T> values) {
  double most = 0;
  for (const T value : values) {
    if (!std::isfinite(value)) return std::numeric_limits<double>::infinity();
    most = std::max(most, std::abs(double(value)));
  }
  return most;
}

inline double largest_coefficient_of(std::span<const MapPtr> maps) {
  double most = 0;
  for (const MapPtr& map : maps) most = std::max(most, map->largest_coefficient());
  return most;
}

}  // namespace bochner
