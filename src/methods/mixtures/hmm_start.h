// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "methods/mixtures/hmm_fit.h"
#include "methods/mixtures/mixture_sample.h"

namespace bochner {

// Gaussians of all models side by side, and back.
Gaussians joined_gaussians(const std::vector<Hmm>& hmms);
std::vector<Gaussians> split_gaussians(const Gaussians& all, std::size_t parts);

// K Gaussians at 0 with the least variances.
Gaussians floor_gaussians(const CovarianceForm& form, std::size_t K, std::size_t d, const std::vector<double>& floor);

// The variance of each input about the means of the classes, whose differences no state has to span.
std::vector<double> class_variances(const Sequences& sequences);

// choose_floor where whole sequences are held out: neighbouring rows are alike.
double choose_hmm_floor(const Workers& on, const Sequences& sequences, const HmmOptions& options,
                        const std::vector<double>& variances);

}  // namespace bochner
