// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>
#include <vector>

#include "bochner/archive.h"
#include "bochner/map.h"
#include "bochner/matrix.h"

namespace bochner {

// What a map saves, less the figures that stand beside it.
Archive saved_map(const Map& map);

// The numbers of a linear map: x W + b.
struct AffineHead {
  Matrix<double> weights;        // inputs x outputs
  std::vector<double> constant;  // one for each output
};

// The weights and intercept of a linear map; none: the map is another one.
std::optional<AffineHead> affine_of(const Map& map);

}  // namespace bochner
