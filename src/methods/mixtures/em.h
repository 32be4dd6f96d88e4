// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <span>
#include <vector>

#include "methods/mixtures/mixture_fold.h"
#include "run/state_keeper.h"

namespace bochner {

// EM for mixtures of Gaussians. Dempster, Laird & Rubin 1977; covariances are about the new means.
//   E  r_ij = w_j N(x_i; j) / sum_l w_l N(x_i; l)
//   M  w_j = sum_i r_ij / n,  m_j = sum_i r_ij x_i / sum_i r_ij,  S_j likewise of (x_i - m_j)(x_i - m_j)^T
// One pass over the rows is the E step of a mixture and the sums of its M step.

// The mixtures of all groups, side by side: see MixtureRound.
struct Mixtures {
  Gaussians gaussians;
  std::vector<double> weights;  // those of a group sum to 1
  std::size_t groups = 1;

  std::size_t components() const { return gaussians.size() / groups; }
  // The mixture of one group, without components of weight 0.
  Mixture of_group(std::size_t group) const;
};
// Side by side; groups of fewer components get some of weight 0.
Mixtures side_by_side(const std::vector<Mixture>& groups);

struct EmOptions {
  double tolerance = 1e-4;  // EM ends if a round raises the mean log-likelihood of a row by less
  std::size_t rounds = 200;
  std::vector<double> floor = {};  // least variance of each input
  bool double_precision = false;
};

// What EM did. Where a log-likelihood falls by more than rounding, the mixture before is kept and the group ends.
struct EmRun {
  Mixtures mixtures;
  std::vector<double> log_likelihoods;  // one per group: the weighted sum over its rows, by `mixtures`
  std::vector<double> group_weights;    // each group's sum of row weights
  // The mean per row, round by round: of each group, or of all together where they share a covariance.
  std::vector<std::vector<double>> paths;
  std::size_t rounds = 0;  // passes
  std::size_t falls = 0;
  bool converged = false;

  double mean_log_likelihood() const;  // mean over rows
};

// pass(empty) is the fold of all rows.
using MixturePass = std::function<MixtureFold(MixtureFold empty)>;
EmRun run_em(const MixturePass& pass, Mixtures start, const EmOptions& options, Threads& threads,
             const StateKeeper& keeper = {});

// The M step of all groups.
Mixtures maximized(const MixtureFold& fold, const Mixtures& from, std::span<const double> floor, Threads& threads);

}  // namespace bochner
