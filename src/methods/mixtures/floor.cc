// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/mixtures/floor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "solve/dense.h"

namespace bochner {

namespace {

constexpr double kShares[] = {1e-6, 1e-5, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1};
constexpr std::size_t kCount = std::size(kShares);
constexpr double kWorth = 1e-3;  // log-likelihood per row that a larger floor must gain

// The log-likelihood of the rows to check, one per floor. Covariances S are V diag(l) V^T in inputs divided by their
// deviations; the one raised to a share s has max(l, s), so all shares cost one decomposition.
std::vector<double> full_likelihoods(const Workers& on, const ClusterSums& found, const MixtureSample& check,
                                     const std::vector<double>& variances) {
  const std::size_t d = check.x.cols(), M = found.sums.size() / check.groups;
  std::vector<double> root = floor_of(variances, 1);
  double log_unit = double(d) * std::log(2 * std::numbers::pi);
  for (double& value : root) log_unit += std::log(value), value = std::sqrt(value);
  std::vector<Matrix<double>> joint(kCount, Matrix<double>(check.rows(), M));
  for (Matrix<double>& of_share : joint)
    std::fill_n(of_share.data(), check.rows() * M, -std::numeric_limits<double>::infinity());
  on.threads.run(found.sums.size(), [&](std::size_t k, int) {
    if (!(found.weights[k] > 0) || !(found.sums.weight(k) > 0)) return;
    Matrix<double> S = found.sums.covariance(k);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j) S(i, j) /= root[i] * root[j];
    const Eigen eigen = largest_eigen(std::move(S), d);
    const std::vector<double> mean = found.sums.mean(k);
    const std::vector<std::size_t> rows = check.of_group(k / M);
    Matrix<double> u(rows.size(), d), z(rows.size(), d);
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t j = 0; j < d; ++j) u(i, j) = (check.x(rows[i], j) - mean[j]) / root[j];
    multiply(1, std::as_const(u).view(), eigen.vectors.view(), 0, z.view());
    for (std::size_t s = 0; s < kCount; ++s) {
      double constant = log_unit;
      for (const double value : eigen.values) constant += std::log(std::max(value, kShares[s]));
      for (std::size_t i = 0; i < rows.size(); ++i) {
        double distance = 0;
        for (std::size_t a = 0; a < d; ++a) distance += z(i, a) * z(i, a) / std::max(eigen.values[a], kShares[s]);
        joint[s](rows[i], k % M) = std::log(found.weights[k]) - 0.5 * (constant + distance);
      }
    }
  });
  std::vector<double> sums(kCount);
  for (std::size_t s = 0; s < kCount; ++s)
    for (std::size_t i = 0; i < check.rows(); ++i) {
      const double likelihood = shares_of_joint(&joint[s](i, 0), M);
      if (std::isfinite(likelihood)) sums[s] += check.weights[i] * likelihood;
    }
  return sums;
}

std::vector<double> likelihoods(const Workers& on, const MixtureSample& learn, const MixtureSample& check,
                                StartOptions start, const std::vector<double>& variances) {
  if (start.covariance.kind == CovarianceForm::Kind::full)
    return full_likelihoods(on, clustered_sums(on, learn, start, 0), check, variances);
  std::vector<double> sums;
  for (const double share : kShares) {
    start.floor = floor_of(variances, share);
    const Mixtures found = clustered_start(on, learn, start, 0);
    MixtureFold fold(std::make_shared<const MixtureRound>(found.gaussians, found.weights, found.groups, true));
    fold.add(on, check.block());
    double sum = 0;
    for (std::size_t g = 0; g < check.groups; ++g) sum += fold.log_likelihood(g);
    sums.push_back(sum);
  }
  return sums;
}

}  // namespace

double choose_floor(const Workers& on, const MixtureSample& sample, const StartOptions& options,
                    const std::vector<double>& variances) {
  return choose_floor(on, sample.half(false), sample.half(true), options, variances);
}

double choose_floor(const Workers& on, const MixtureSample& learn, const MixtureSample& check,
                    const StartOptions& options, const std::vector<double>& variances) {
  if (learn.rows() == 0 || check.rows() == 0) return kShares[0];
  const std::vector<double> found = likelihoods(on, learn, check, options, variances);
  std::size_t best = 0;
  for (std::size_t s = 1; s < kCount; ++s)
    if (found[s] > found[best] + kWorth * double(check.rows())) best = s;
  return kShares[best];
}

}  // namespace bochner
