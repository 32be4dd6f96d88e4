// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <span>

#include "bochner/deviation.h"

namespace bochner {

// noise and scale, neither below 0, that make residuals of N(0, noise + scale v) likeliest, v the variance at each row.
// weights: those of 0 do not count; none: all 1.
Deviation::Target likeliest_scales(std::span<const double> residuals, std::span<const double> variances,
                                   std::span<const double> weights = {});

}  // namespace bochner
