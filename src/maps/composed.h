// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <span>

#include "bochner/map.h"

namespace bochner {

// What a map is made of that chain, sum or concat made; empty for any other.
std::span<const MapPtr> chain_parts(const Map& map);
std::span<const MapPtr> sum_parts(const Map& map);
struct ConcatParts {
  std::span<const MapPtr> maps;
  std::span<const double> weights;
};
ConcatParts concat_parts(const Map& map);

// The largest coefficient of a head, in size: infinity where one is not finite. 0 for maps that have none.
double largest_coefficient(const Map& head);

// All coefficients of a map that linear() made, intercepts last; empty for any other.
std::vector<std::span<const double>> linear_coefficients(const Map& map);

}  // namespace bochner
