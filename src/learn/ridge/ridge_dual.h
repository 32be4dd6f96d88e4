// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "learn/ridge/ridge.h"

namespace bochner {

// Ridge where the rows are fewer than the features: with A = diag(sqrt(w)) (Z - 1 m^T), m the weighted mean,
//   (A^T A + lambda n I) beta = A^T y   is   beta = A^T alpha,  (A A^T + lambda n I) alpha = y,
// a system of n unknowns instead of D (Saunders, Gammerman & Vovk 1998), n the sum of the weights on the left. The
// features stay in memory; n^2 D makes A A^T, then each lambda costs n^3, its leave-one-out error included.
Fitted fit_ridge_dual(const Stream& stream, const Survey& survey, const RidgeOptions& options,
                      const Stream* validation = nullptr);

}  // namespace bochner
