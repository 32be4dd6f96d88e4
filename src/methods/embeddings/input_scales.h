// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "bochner/matrix.h"
#include "bochner/schema.h"

namespace bochner {

// What inputs are divided by before a kernel meets them: a number by its deviation without its outermost hundredths, or
// with them where that is 0; one that never varies by its size. Two rows of different levels are as far apart as two
// rows of a number usually are.
std::vector<double> input_scales(const Schema& schema, MatrixView<const double> sample);

// The same of columns that are all numbers.
std::vector<double> number_scales(MatrixView<const double> sample);

// Every number of x divided by its column's scale.
Matrix<double> divided(MatrixView<const double> x, const std::vector<double>& scales);

}  // namespace bochner
