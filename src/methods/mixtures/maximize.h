// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <span>

#include "base/threads.h"
#include "methods/mixtures/gaussian_sums.h"

namespace bochner {

// The M step: means and covariances, about the new means, that the sums make most likely among those of a least
// variance. floor: one per input; full covariances are those with S - diag(floor) positive semidefinite, of which the
// likeliest has the eigenvalues of diag(floor)^-1/2 S diag(floor)^-1/2 raised to 1; of low rank the diagonal is
// bounded, and one EM step of factor analysis is made from `from` (Ghahramani & Hinton 1996). So a round of EM never
// lowers the likelihood, floor or not. A Gaussian that no row counts for stays as it is in `from`.
Gaussians maximized(const GaussianSums& sums, const Gaussians& from, std::span<const double> floor, Threads& threads);

// covariance with a least variance, as above.
Matrix<double> raised_to_floor(Matrix<double> covariance, std::span<const double> floor);

// The covariances of `full` in another form: its diagonal, its mean variance, or its leading directions and what is
// left of the diagonal. weights: of each, where they are pooled.
Gaussians in_form(const Gaussians& full, const CovarianceForm& form, std::span<const double> weights,
                  std::span<const double> floor);

}  // namespace bochner
