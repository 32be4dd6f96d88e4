// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>
#include <limits>

#include "maps/composed.h"
#include "maps/grid_linear.h"

namespace bochner {

namespace {

template <class T>
double largest(const T* values, std::size_t count) {
  double most = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(values[i])) return std::numeric_limits<double>::infinity();
    most = std::max(most, std::abs(double(values[i])));
  }
  return most;
}

}  // namespace

double largest_coefficient(const Map& head) {
  double most = 0;
  for (const std::span<const MapPtr> parts : {chain_parts(head), sum_parts(head)})
    for (const MapPtr& part : parts) most = std::max(most, largest_coefficient(*part));
  if (const auto* grids = dynamic_cast<const GridLinear*>(&head))
    most = std::max(largest(grids->values().data(), grids->values().size()),
                    largest(grids->intercept().data(), grids->intercept().size()));
  for (const std::span<const double> values : linear_coefficients(head))
    most = std::max(most, largest(values.data(), values.size()));
  return most;
}

}  // namespace bochner
