// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "backend/workers.h"
#include "methods/mixtures/em.h"
#include "methods/mixtures/mixture_sample.h"

namespace bochner {

struct StartOptions {
  std::size_t components = 1;
  CovarianceForm covariance = {};
  std::size_t restarts = 4;  // the likeliest is kept, group by group
  std::size_t rounds = 12;   // rounds of EM that each start may make on the sample
  std::uint64_t seed = 0;
  std::vector<double> floor = {};
};

// Clusters of each group by k-means++ and some passes of k-means, in inputs divided by their deviations; their means,
// covariances and shares. Groups with fewer different rows than components get fewer. attempt: which of the restarts.
Mixtures clustered_start(const Workers& on, const MixtureSample& sample, const StartOptions& options,
                         std::size_t attempt);

// The likeliest of several after some rounds of EM, and its log-likelihood on the sample.
EmRun best_start(const Workers& on, const MixtureSample& sample, const StartOptions& options);

// The least variance of each input. Constant inputs get that of the others' mean.
std::vector<double> floor_of(const std::vector<double>& variances, double share);

struct ClusterSums {
  GaussianSums sums;
  std::vector<double> weights;  // shares of the clusters in their groups
};
ClusterSums clustered_sums(const Workers& on, const MixtureSample& sample, const StartOptions& options,
                           std::size_t attempt);

}  // namespace bochner
