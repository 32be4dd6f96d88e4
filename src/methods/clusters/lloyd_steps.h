// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "methods/clusters/fit_kmeans.h"
#include "methods/clusters/lloyd.h"

namespace bochner {

// What Lloyd's passes do with their sums, whoever makes these.

// The means of the clusters; an empty one stays where it is.
Matrix<double> next_centres(const LloydFold& sums, const Matrix<double>& centres);
// The squared distance of all centres together.
double squared_step(const Matrix<double>& a, const Matrix<double>& b);
// The step that counts as none: the tolerance times the mean variance of a feature.
double settled_step(const LloydFold& sums, double tolerance, std::size_t features);
// Centres and weights, the heaviest first, without clusters that stayed empty and columns behind the features; notes.
void end_lloyd(Clustered& found, const LloydFold& sums, const Matrix<double>& centres, std::size_t features);

}  // namespace bochner
