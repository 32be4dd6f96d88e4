// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "learn/ridge/ridge.h"

namespace bochner {

// Ridge on the stream's features by conjugate gradients on (Z^T W Z + lambda n I) X = Z^T W T about the means,
// preconditioned by the Cholesky factor of B^T B + lambda n I, B a CountSketch of Z. Rokhlin & Tygert 2008; Meng,
// Saunders & Mahoney 2014 (LSRN); Avron, Clarkson & Woodruff 2017. A dozen passes instead of n D^2.
// Every lambda uses the same sketch. A step shares its pass among all outputs and several lambdas.
Fitted fit_ridge_cg(const Stream& stream, const Survey& survey, const RidgeOptions& options,
                    const Stream* validation = nullptr, const std::function<void(const std::string&)>& say = {});

}  // namespace bochner
