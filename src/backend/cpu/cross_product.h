// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/matrix.h"

namespace bochner::cpu {

// product = a^T b: a is rows x m, b is rows x n, product is m x n. On ARM each float entry sums its rows in their
// order, so it depends on its two columns only.
void cross_product(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> product);
void cross_product(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> product);

}  // namespace bochner::cpu
