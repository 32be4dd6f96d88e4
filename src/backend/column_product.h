// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/matrix.h"

namespace bochner {

// product = a^T b on this processor: a is rows x m, b is rows x n, product is m x n. An entry is a function of its two
// columns alone, to the bit, and the same on every machine with a fused multiply-add: solvers whose bits must not
// depend on the machine take it instead of BLAS.
void column_product(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> product);
void column_product(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> product);

// product = a b in the same way: an entry is a function of its row of a, its column of b and b's shape.
void row_product(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> product);
void row_product(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> product);

}  // namespace bochner
