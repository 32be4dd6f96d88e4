// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/mixtures/start.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/require.h"
#include "learn/mixtures/maximize.h"
#include "random/draw.h"

namespace bochner {

namespace {

using Kind = CovarianceForm::Kind;
constexpr std::size_t kKmeansPasses = 10;
constexpr std::size_t kPiece = 256;

double squared_distance(const double* a, const double* b, std::size_t d) {
  double sum[4] = {};
  std::size_t j = 0;
  for (; j + 4 <= d; j += 4)
    for (std::size_t l = 0; l < 4; ++l) sum[l] += (a[j + l] - b[j + l]) * (a[j + l] - b[j + l]);
  double all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  for (; j < d; ++j) all += (a[j] - b[j]) * (a[j] - b[j]);
  return all;
}

// k-means of the rows of one group, divided by the deviations of the inputs.
class Clusters {
 public:
  Clusters(Threads& threads, const MixtureSample& sample, std::vector<std::size_t> rows)
      : threads_(threads), rows_(std::move(rows)), x_(rows_.size(), sample.x.cols()), of_(rows_.size()) {
    const std::size_t d = x_.cols();
    std::vector<double> mean(d), square(d);
    for (const std::size_t row : rows_) {
      weights_.push_back(sample.weights[row]);
      for (std::size_t j = 0; j < d; ++j) mean[j] += sample.x(row, j) / double(rows_.size());
    }
    for (const std::size_t row : rows_)
      for (std::size_t j = 0; j < d; ++j) square[j] += std::pow(sample.x(row, j) - mean[j], 2) / double(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i)
      for (std::size_t j = 0; j < d; ++j)
        x_(i, j) = square[j] > 0 ? (sample.x(rows_[i], j) - mean[j]) / std::sqrt(square[j]) : 0;
  }

  // Arthur & Vassilvitskii 2007: a row becomes a center with a probability that grows with its squared distance from
  // those there are. Ends where no row is apart from them.
  void choose(std::size_t count, std::uint64_t seed, std::uint64_t attempt) {
    const std::size_t n = rows_.size(), d = x_.cols();
    std::vector<double> nearest(n, std::numeric_limits<double>::infinity()), chance = weights_;
    centers_ = Matrix<double>(count, d);
    for (count_ = 0; count_ < count; ++count_) {
      const double all = std::accumulate(chance.begin(), chance.end(), 0.0);
      if (!(all > 0)) break;
      double left = uniform(seed, Draw::candidate, attempt, count_) * all;
      std::size_t chosen = n;
      for (std::size_t i = 0; i < n; ++i) {
        if (!(chance[i] > 0)) continue;
        chosen = i;
        if ((left -= chance[i]) <= 0) break;
      }
      std::copy_n(&x_(chosen, 0), d, &centers_(count_, 0));
      each_piece([&](std::size_t i) {
        nearest[i] = std::min(nearest[i], squared_distance(&x_(i, 0), &centers_(count_, 0), d));
        chance[i] = weights_[i] * nearest[i];
      });
    }
  }

  // Lloyd's passes; a center without rows stays where it is.
  void settle() {
    const std::size_t d = x_.cols();
    for (std::size_t pass = 0; pass <= kKmeansPasses; ++pass) {
      const std::vector<std::size_t> before = of_;
      each_piece([&](std::size_t i) {
        double best = std::numeric_limits<double>::infinity();
        for (std::size_t c = 0; c < count_; ++c) {
          const double distance = squared_distance(&x_(i, 0), &centers_(c, 0), d);
          if (distance < best) best = distance, of_[i] = c;
        }
      });
      if (pass == kKmeansPasses || (pass > 0 && of_ == before)) return;
      Matrix<double> sums(count_, d);
      std::vector<double> weight(count_);
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        weight[of_[i]] += weights_[i];
        for (std::size_t j = 0; j < d; ++j) sums(of_[i], j) += weights_[i] * x_(i, j);
      }
      for (std::size_t c = 0; c < count_; ++c)
        for (std::size_t j = 0; weight[c] > 0 && j < d; ++j) centers_(c, j) = sums(c, j) / weight[c];
    }
  }

  std::size_t size() const { return rows_.size(); }
  std::size_t row(std::size_t i) const { return rows_[i]; }
  std::size_t cluster(std::size_t i) const { return of_[i]; }

 private:
  template <class Work>
  void each_piece(const Work& work) {
    threads_.run((rows_.size() + kPiece - 1) / kPiece, [&](std::size_t piece, int) {
      for (std::size_t i = piece * kPiece; i < std::min(rows_.size(), (piece + 1) * kPiece); ++i) work(i);
    });
  }

  Threads& threads_;
  std::vector<std::size_t> rows_;
  std::vector<double> weights_;
  Matrix<double> x_, centers_;
  std::vector<std::size_t> of_;
  std::size_t count_ = 0;
};

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
    Clusters clusters(on.threads, sample, sample.of_group(g));
    clusters.choose(M, options.seed, attempt);
    clusters.settle();
    for (std::size_t i = 0; i < clusters.size(); ++i) {
      const std::size_t row = clusters.row(i), k = g * M + clusters.cluster(i);
      group[row] = std::uint32_t(g);
      shares(row, clusters.cluster(i)) = sample.weights[row];
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
