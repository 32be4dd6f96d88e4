// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>
#include <limits>

#include "methods/embeddings/reduction.h"
#include "random/draw.h"

namespace bochner {

namespace {

constexpr std::size_t kRowsPerCentre = 50, kFewestRows = 2000;

double squared_between(const double* x, const double* y, std::size_t d) {
  double sum = 0;
  for (std::size_t j = 0; j < d; ++j) sum += (x[j] - y[j]) * (x[j] - y[j]);
  return sum;
}

// The place in `mass` where a share of it is passed.
std::size_t pick(const std::vector<double>& mass, double share) {
  double total = 0;
  for (const double m : mass) total += m;
  double left = share * total;
  std::size_t last = 0;
  for (std::size_t i = 0; i < mass.size(); ++i) {
    if (mass[i] <= 0) continue;
    last = i;
    if ((left -= mass[i]) < 0) return i;
  }
  return last;
}

// At most `most` rows of x, each the first of its stride after a random beginning.
std::vector<std::size_t> sampled(std::size_t rows, std::size_t most, std::uint64_t seed) {
  std::vector<std::size_t> at;
  if (rows <= most) {
    for (std::size_t i = 0; i < rows; ++i) at.push_back(i);
    return at;
  }
  for (std::size_t s = 0; s < most; ++s) {
    const double place = (double(s) + uniform(seed, Draw::sample, s)) / double(most) * double(rows);
    at.push_back(std::min(rows - 1, std::size_t(place)));
  }
  at.erase(std::unique(at.begin(), at.end()), at.end());
  return at;
}

// k-means++ (Arthur & Vassilvitskii 2007) of rows at[...].
std::vector<std::size_t> spread_out(const Matrix<double>& x, const std::vector<std::size_t>& at,
                                    const std::vector<double>& weight, std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> chosen;
  std::vector<double> mass = weight, nearest(at.size(), std::numeric_limits<double>::infinity());
  while (chosen.size() < count) {
    if (!(*std::max_element(mass.begin(), mass.end()) > 0)) break;
    const std::size_t next = pick(mass, uniform(seed, Draw::candidate, chosen.size()));
    chosen.push_back(at[next]);
    for (std::size_t i = 0; i < at.size(); ++i) {
      nearest[i] = std::min(nearest[i], squared_between(&x(at[i], 0), &x(at[next], 0), x.cols()));
      mass[i] = weight[i] * nearest[i];
    }
  }
  return chosen;
}

}  // namespace

Matrix<double> cluster_centres(const Matrix<double>& x, std::span<const double> weights, std::size_t count,
                               std::uint64_t seed, std::size_t rounds) {
  const std::size_t d = x.cols();
  const std::vector<std::size_t> at = sampled(x.rows(), std::max(kFewestRows, kRowsPerCentre * count), seed);
  std::vector<double> weight;
  for (const std::size_t i : at) weight.push_back(weights[i]);
  const std::vector<std::size_t> chosen = spread_out(x, at, weight, count, seed);
  Matrix<double> centres(chosen.size(), d);
  for (std::size_t c = 0; c < chosen.size(); ++c) std::copy_n(&x(chosen[c], 0), d, &centres(c, 0));
  for (std::size_t round = 0; round < rounds; ++round) {  // Lloyd
    Matrix<double> sums(centres.rows(), d);
    std::vector<double> mass(centres.rows());
    for (std::size_t i = 0; i < at.size(); ++i) {
      std::size_t best = 0;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t c = 0; c < centres.rows(); ++c)
        if (const double s = squared_between(&x(at[i], 0), &centres(c, 0), d); s < least) least = s, best = c;
      mass[best] += weight[i];
      for (std::size_t j = 0; j < d; ++j) sums(best, j) += weight[i] * x(at[i], j);
    }
    for (std::size_t c = 0; c < centres.rows(); ++c)
      for (std::size_t j = 0; mass[c] > 0 && j < d; ++j) centres(c, j) = sums(c, j) / mass[c];
  }
  return centres;
}

Matrix<double> start_points(const KernelSum& mu, std::size_t count, std::uint64_t seed) {
  double mass[2] = {};
  std::vector<double> sides[2];
  for (const double a : mu.alpha()) {
    mass[a < 0] += std::fabs(a);
    sides[0].push_back(std::max(a, 0.0));
    sides[1].push_back(std::max(-a, 0.0));
  }
  if (mass[1] == 0) return cluster_centres(mu.x(), sides[0], count, seed, 5);
  if (mass[0] == 0 || count == 1) return cluster_centres(mu.x(), sides[mass[1] > mass[0]], count, seed, 5);
  const std::size_t first =
      std::clamp<std::size_t>(std::size_t(std::lround(double(count) * mass[0] / (mass[0] + mass[1]))), 1, count - 1);
  const Matrix<double> plus = cluster_centres(mu.x(), sides[0], first, seed, 5);
  const Matrix<double> minus = cluster_centres(mu.x(), sides[1], count - first, seed, 5);
  Matrix<double> all(plus.rows() + minus.rows(), mu.inputs());
  std::copy_n(plus.data(), plus.rows() * plus.cols(), all.data());
  std::copy_n(minus.data(), minus.rows() * minus.cols(), all.data() + plus.rows() * plus.cols());
  return all;
}

Reduced reduce_to_clusters(const ReduceTask& task) {
  std::vector<double> size;
  for (const double a : task.mu.alpha()) size.push_back(std::fabs(a));
  Reduced found{cluster_centres(task.mu.x(), size, task.points, task.seed, 50), {}, 50};
  std::vector<double> b(found.points.rows());
  task.mu.evaluate(found.points.view(), b);
  found.weights = project_weights(kernel_matrix(task.mu.kernel(), found.points.view()), b).beta;
  return found;
}

}  // namespace bochner
