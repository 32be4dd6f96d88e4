// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "methods/mixtures/start.h"

namespace bochner {

// The share of an input's variance below which no covariance may fall: of several the one under which the clusters of
// one half of the sample make the other half likeliest. It is small where rows are many and large where a component has
// fewer rows than inputs. variances: of all rows, one per input.
double choose_floor(const Workers& on, const MixtureSample& sample, const StartOptions& options,
                    const std::vector<double>& variances);
// The same where the caller has split the sample.
double choose_floor(const Workers& on, const MixtureSample& learn, const MixtureSample& check,
                    const StartOptions& options, const std::vector<double>& variances);

}  // namespace bochner
