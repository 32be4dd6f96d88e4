// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <span>
#include <vector>

#include "bochner/matrix.h"

namespace bochner {

// min over 0 <= b <= kMostBlendWeight and a of  sum_i w_i rho(y_i - a - sum_j b_j p_ij),  rho the pinball loss of the
// level (Koenker & Bassett 1978), by exact steps along one coordinate at a time: each is a weighted quantile.
struct PinballBlend {
  std::vector<double> weights;
  double shift = 0;
};

// p: rows x machines; start: the weights to begin with. w: none is below 0, some are above.
PinballBlend pinball_blend(const Matrix<double>& p, std::span<const double> y, std::span<const double> w, double level,
                           std::vector<double> start);

}  // namespace bochner
