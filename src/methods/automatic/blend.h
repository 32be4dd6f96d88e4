// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <span>
#include <vector>

#include "bochner/matrix.h"

namespace bochner {

constexpr double kMostBlendWeight = 2;

// min over 0 <= b <= 2 of |sum_j b_j p_j - y|^2 by coordinate descent, from the products P'P and P'y: non-negative
// least squares with a bound. Weights below 0.02 become 0 and the others are found again; predictions that vary next to
// nothing beside the others' have none.
std::vector<double> blend_weights(const Matrix<double>& gram, std::span<const double> moment);

}  // namespace bochner
