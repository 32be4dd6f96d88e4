// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "methods/mixtures/fit.h"
#include "methods/mixtures/start.h"

namespace bochner {

// EM in random projections, mapped back by one pass of soft assignment. Dasgupta, Experiments with random projection,
// UAI 2000: Gaussians that are far apart stay so in 10 ln m dimensions, where they are rounder.
FittedMixtures fit_projected(const Stream& stream, const MixtureSample& sample, const MixtureOptions& options,
                             const SayMixture& say);

// Steps that the fit shares with it.
std::size_t choose_components(const Workers& on, const MixtureSample& sample, StartOptions start,
                              const SayMixture& say);
std::vector<double> stream_variances(const Stream& stream);
// share: of the variance, chosen where the options leave it open.
StartOptions start_options(const Workers& on, const MixtureSample& sample, const MixtureOptions& options,
                           const std::vector<double>& variances, double& share);
EmRun em_of_stream(const Stream& stream, Mixtures start, const EmOptions& options, const std::string& name);

}  // namespace bochner
