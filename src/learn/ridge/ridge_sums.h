// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "folds/gram.h"
#include "learn/ridge/ridge.h"

namespace bochner {

// Ridge from sums alone. The best lambda is the one of least generalized cross-validation error,
//   GCV = n RSS / (n - tr H)^2,   Golub, Heath & Wahba 1979,
// an estimate of the squared error on new rows that needs no row: with (G + lambda n I) w = r
//   RSS = S - w^T r - lambda n |w|^2,   tr H = D - lambda n tr (G + lambda n I)^-1   (+ 1 for the intercept).
Fitted fit_ridge_sums(const GramFold& sums, const std::vector<double>& lambdas, bool intercept, Threads& threads,
                      const ProgressFunction& progress);

}  // namespace bochner
