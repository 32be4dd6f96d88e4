// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <span>
#include <vector>

#include "base/threads.h"
#include "bochner/map.h"
#include "bochner/matrix.h"

namespace bochner {

// The linear map that makes the chosen inputs uncorrelated and of deviation 1 over these rows; others go as they are.
// Each of them becomes what the inputs that were taken before it leave over, by a pivoted Cholesky factor of their
// covariance (the input of which most is left comes first), so that squared distances are those of Mahalanobis. An
// input that the others tell up to kToldShare of its variance becomes 0.
// weights: one per row. The same bits for any number of threads and on every machine.
MapPtr whitening(const Matrix<double>& rows, std::span<const double> weights, const std::vector<char>& chosen,
                 Threads& threads);

inline constexpr double kToldShare = 1e-6;

// Bytes held meanwhile, beside the sampled rows.
double whitening_bytes(std::size_t sampled, std::size_t inputs);

}  // namespace bochner
