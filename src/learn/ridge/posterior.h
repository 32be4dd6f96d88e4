// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "bochner/deviation.h"
#include "learn/ridge/normal_equations.h"

namespace bochner {

// Ridge as the mean of a Gaussian process (Rasmussen & Williams 2006): w ~ N(0, s^2 / (lambda n)), a flat constant
// where there is an intercept, and noise of variance s^2, which has its likeliest value
//   s^2 = (y'y - R'w) / m,  y and R about their means, m = n, less 1 with an intercept.
struct Evidence {
  std::vector<double> noise;       // s^2 of each target, in its units
  std::vector<double> likelihood;  // log marginal likelihood at it; none where rows have weights, or lambda is 0
};
// factor: that of the equations with lambda; head: their solution, coded.
Evidence evidence(const NormalEquations& equations, const Cholesky& factor, const Coefficients& head, double lambda);

// s^2 (1 + v(z)), v(z) = 1/n + |L^-1 (z - m)|^2, L L^T the equations' matrix; and of landmarks (Nystroem features) what
// these leave over of the kernel: (1 - |z|^2) / (lambda n), which makes it that of the kernel's own process where all
// rows are landmarks. map: of the features.
Deviation posterior_deviation(const NormalEquations& equations, const Cholesky& factor, const Evidence& evidence,
                              double lambda, const MapPtr& map, Threads& threads);

}  // namespace bochner
