// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   // So that one pair of rows is within 0.1 of its kernel in 99 of 100 draws.
//   const std::size_t features = fourier_features_pointwise(FourierOptions::Form::cossin, 0.1, 0.01);

#include <cstddef>

#include "bochner/kernel.h"
#include "bochner/map.h"

namespace bochner {

// How many features for an error epsilon with probability 1 - delta, and what epsilon a given number guarantees.
// The error is |z(x).z(y) - k(x - y)|. `features` always counts outputs of the map: a cos/sin map of D outputs has
// D / 2 frequencies, a shifted one D. An epsilon of 1 or more guarantees nothing: the kernel itself is at most 1.
// std::invalid_argument where epsilon, delta or a size makes no sense.

// One pair of points. cos/sin with F frequencies: 2 exp(-F eps^2 / 2); shifted with D: 2 exp(-D eps^2 / 4).
std::size_t fourier_features_pointwise(FourierOptions::Form form, double epsilon, double delta);
double fourier_epsilon_pointwise(FourierOptions::Form form, std::size_t features, double delta);

// All pairs of a set of this diameter (in units of the inputs) at once, sigma_p^2 = E|omega|^2:
//   cos/sin: 2^8 (sigma_p l / eps)^2 exp(-F eps^2 / (4 (d + 2)))      Rahimi & Recht 2007, Claim 1
//   shifted: 2^8 (sigma_p l / eps)^2 exp(-D eps^2 / (16 (d + 1)))     the same net argument over pairs (x, y), since
// its error is no function of x - y alone (Sutherland & Schneider 2015). Laws without a second moment (laplacian,
// laplacian2, matern with nu <= 1) have no such bound: std::invalid_argument.
std::size_t fourier_features_uniform(FourierOptions::Form form, const Kernel& kernel, std::size_t inputs,
                                     double diameter, double epsilon, double delta);
double fourier_epsilon_uniform(FourierOptions::Form form, const Kernel& kernel, std::size_t inputs, double diameter,
                               std::size_t features, double delta);

// Random binning with P grids, laplacian only. One pair: 2 exp(-2 P eps^2). All pairs of a set of this diameter:
//   36 d P alpha l exp(-(P eps^2 / 8 + ln(eps / L)) / (d + 1)),  alpha = E[1/pitch] = L = 1 / sigma.
std::size_t binning_grids_pointwise(double epsilon, double delta);
double binning_epsilon_pointwise(std::size_t grids, double delta);
std::size_t binning_grids_uniform(const Kernel& kernel, std::size_t inputs, double diameter, double epsilon,
                                  double delta);
double binning_epsilon_uniform(const Kernel& kernel, std::size_t inputs, double diameter, std::size_t grids,
                               double delta);

// Johnson-Lindenstrauss: dimensions in which some projection keeps all squared distances of n points within
// 1 +- epsilon, k = 4 ln n / (eps^2 / 2 - eps^3 / 3), the whole part, as scikit-learn gives it; epsilon in (0, 1). One
// draw does so with probability 1 / n at least; for 1 - delta take projection_dimension_pointwise(epsilon, delta /
// pairs).
std::size_t projection_dimension(std::size_t points, double epsilon);
// The epsilon of that lemma for k dimensions; infinity if none below 1 is.
double projection_epsilon(std::size_t points, std::size_t dimension);
// One squared distance within 1 +- epsilon with probability 1 - delta.
//   gaussian, sign and sparse (density 1/3 and more): 2 exp(-k (eps^2 / 2 - eps^3 / 3) / 2) by the moment generating
//   function; hash, srht and, of many inputs, fastjl: 2 / (k eps^2) by the variance (Chebyshev).
std::size_t projection_dimension_pointwise(double epsilon, double delta);
double projection_epsilon_pointwise(std::size_t dimension, double delta);
std::size_t hashing_dimension_pointwise(double epsilon, double delta);
double hashing_epsilon_pointwise(std::size_t dimension, double delta);

}  // namespace bochner
