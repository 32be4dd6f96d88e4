// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   Matrix<double> sample(100, 3);  // rows
//   const double sigma = median_bandwidth(gaussian(), sample.view());

#include "bochner/kernel.h"
#include "bochner/matrix.h"

namespace bochner {

// Rules for one length scale sigma from a sample of rows, scaled as the kernel will see them. The kernel's own
// length scales are not read. A sample whose rows are all equal gives 1.

// gamma = 1 / (d Var X), Var over all entries: scikit-learn's `scale`. Then the kernel's sigma: 1 / sqrt(2 gamma)
// for the gaussian, matern, rational quadratic and laplacian2, 1 / gamma for the laplacian, 1 / sqrt(gamma) for
// the cauchy.
double scale_bandwidth(const Kernel& kernel, MatrixView<const double> sample);

// The median distance of pairs of different rows: L1 for the laplacian, L2 for the others. All pairs of a small
// sample, a fixed random choice of the pairs of a large one.
double median_bandwidth(const Kernel& kernel, MatrixView<const double> sample);

}  // namespace bochner
