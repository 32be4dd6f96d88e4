// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/mixtures/start.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/require.h"
#include "methods/clusters/start.h"
#include "methods/mixtures/maximize.h"

namespace bochner {

namespace {

using Kind = CovarianceForm::Kind;
constexpr int kKmeansPasses = 10;

// The cluster of each of these rows, by k-means of the inputs divided by their deviations.
std::vector<std::uint32_t> clusters_of(const Workers& on, const MixtureSample& sample,
                                       const std::vector<std::size_t>& rows, const StartOptions& options,
                                       std::size_t attempt) {
  const std::size_t n = rows.size(), d = sample.x.cols();
  if (n == 0) return {};
  std::vector<double> mean(d), square(d), weights;
  for (const std::size_t row : rows) {
    weights.push_back(sample.weights[row]);
    for (std::size_t j = 0; j < d; ++j) mean[j] += sample.x(row, j) / double(n);
  }
  for (const std::size_t row : rows)
    for (std::size_t j = 0; j < d; ++j) square[j] += std::pow(sample.x(row, j) - mean[j], 2) / double(n);
  Matrix<double> x(n, d);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < d; ++j)
      x(i, j) = square[j] > 0 ? (sample.x(rows[i], j) - mean[j]) / std::sqrt(square[j]) : 0;
  auto block = RowBlock<double>::dense(std::as_const(x).view());
  block.weights = weights.data();
  const Matrix<double> start = greedy_start(on, block, options.components, options.seed, attempt);
  return nearest_centres(on, block, refine(on, block, start, kKmeansPasses).centres);
}

}  // namespace

// The sums of the clusters' rows, about their means; of low rank those of whole covariances.
ClusterSums clustered_sums(const Workers& on, const MixtureSample& sample, const StartOptions& options,
                           std::size_t attempt) {
  const std::size_t M = options.components, K = sample.groups * M, d = sample.x.cols();
  require(M > 0, "mixture: 0 components, expected 1 or more");
  Matrix<double> shares(sample.rows(), M), means(K, d);
  std::vector<std::uint32_t> group(sample.rows());
  std::vector<double> weight(K), of_group(sample.groups);
  for (std::size_t g = 0; g < sample.groups; ++g) {
    const std::vector<std::size_t> rows = sample.of_group(g);
    const std::vector<std::uint32_t> cluster = clusters_of(on, sample, rows, options, attempt);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t row = rows[i], k = g * M + cluster[i];
      group[row] = std::uint32_t(g);
      shares(row, cluster[i]) = sample.weights[row];
      weight[k] += sample.weights[row];
      of_group[g] += sample.weights[row];
      for (std::size_t j = 0; j < d; ++j) means(k, j) += sample.weights[row] * sample.x(row, j);
    }
  }
  for (std::size_t k = 0; k < K; ++k)
    for (std::size_t j = 0; weight[k] > 0 && j < d; ++j) means(k, j) /= weight[k];
  const CovarianceForm form = options.covariance.kind == Kind::lowrank ? CovarianceForm{} : options.covariance;
  ClusterSums found{GaussianSums(std::make_shared<const GaussianCenters>(form, means)), std::vector<double>(K)};
  found.sums.add(on, sample.x.view(), {.r = std::as_const(shares).view(), .group = group.data()}, {0, sample.rows()});
  for (std::size_t k = 0; k < K; ++k)
    found.weights[k] = of_group[k / M] > 0 ? weight[k] / of_group[k / M] : double(k % M == 0);
  return found;
}

Mixtures clustered_start(const Workers& on, const MixtureSample& sample, const StartOptions& options,
                         std::size_t attempt) {
  const ClusterSums found = clustered_sums(on, sample, options, attempt);
  const CovarianceForm& form = found.sums.about().form;
  const std::size_t K = found.sums.size(), d = found.sums.inputs();
  // What clusters without rows are left with: the floor.
  Gaussians from{.form = form, .means = found.sums.about().means, .variances = {}, .matrices = {}};
  if (form.kind == Kind::full || form.kind == Kind::tied) {
    from.matrices.assign(form.kind == Kind::tied ? 1 : K, Matrix<double>(d, d));
    for (Matrix<double>& matrix : from.matrices)
      for (std::size_t j = 0; j < d; ++j) matrix(j, j) = options.floor[j];
  } else {
    from.variances = Matrix<double>(K, form.kind == Kind::diag ? d : 1);
    for (std::size_t k = 0; k < K; ++k)
      for (std::size_t j = 0; j < from.variances.cols(); ++j) from.variances(k, j) = options.floor[j];
  }
  Mixtures start{.gaussians = maximized(found.sums, from, options.floor, on.threads),
                 .weights = found.weights,
                 .groups = sample.groups};
  if (options.covariance.kind == Kind::lowrank)
    start.gaussians = in_form(start.gaussians, options.covariance, start.weights, options.floor);
  return start;
}

EmRun best_start(const Workers& on, const MixtureSample& sample, const StartOptions& options) {
  const auto pass = [&](MixtureFold fold) {
    on.threads.check_stop();
    fold.add(on, sample.block());
    return fold;
  };
  const EmOptions em{.tolerance = 1e-3, .rounds = options.rounds, .floor = options.floor, .double_precision = true};
  EmRun best;
  std::vector<Mixture> mixtures(sample.groups);
  for (std::size_t attempt = 0; attempt < std::max<std::size_t>(1, options.restarts); ++attempt) {
    EmRun run = run_em(pass, clustered_start(on, sample, options, attempt), em, on.threads);
    if (attempt == 0) {
      best = run;
      for (std::size_t g = 0; g < sample.groups; ++g) mixtures[g] = run.mixtures.of_group(g);
      continue;
    }
    if (options.covariance.kind == Kind::tied) {  // all groups together
      if (run.mean_log_likelihood() <= best.mean_log_likelihood()) continue;
      best = run;
      for (std::size_t g = 0; g < sample.groups; ++g) mixtures[g] = run.mixtures.of_group(g);
      continue;
    }
    for (std::size_t g = 0; g < sample.groups; ++g) {
      if (!(run.log_likelihoods[g] > best.log_likelihoods[g])) continue;
      best.log_likelihoods[g] = run.log_likelihoods[g];
      best.group_weights[g] = run.group_weights[g];
      mixtures[g] = run.mixtures.of_group(g);
    }
  }
  best.mixtures = side_by_side(mixtures);
  return best;
}

std::vector<double> floor_of(const std::vector<double>& variances, double share) {
  double sum = 0;
  std::size_t varied = 0;
  for (const double variance : variances)
    if (variance > 0) sum += variance, ++varied;
  const double usual = varied ? sum / double(varied) : 1;
  std::vector<double> floor;
  for (const double variance : variances) floor.push_back(share * (variance > 0 ? variance : usual));
  return floor;
}

}  // namespace bochner
