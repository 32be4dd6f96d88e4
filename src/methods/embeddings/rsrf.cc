// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>
#include <limits>

#include "methods/embeddings/reduction.h"
#include "random/draw.h"

namespace bochner {

namespace {

constexpr std::size_t kStarts = 10, kMostAlternations = 100, kBfgsIterations = 50;
constexpr double kThreshold = 1e-4;  // relative change of the objective between alternations
constexpr double kLambda = 1e-8;     // ridge of the weights' equations

}  // namespace

// Reduced set through random features, as printed (Algorithm 1): random points and weights, then in turns the points by
// BFGS with the weights held, and the weights by regularized least squares with the points held, until the objective
// changes little; of several random starts the best. m shifted cosines, scaled by sqrt(2/m), and
// beta = (Phi^T Phi + lambda I)^-1 Phi^T mu^. BFGS keeps all of its few steps here, so it is L-BFGS with a long memory.
Reduced reduce_by_rsrf(const ReduceTask& task) {
  const KernelSum& mu = task.mu;
  const std::size_t n = task.points, d = mu.inputs();
  const FeatureSpace space(mu.on(), mu.kernel(), d, task.features, task.seed, /*shifted=*/true);
  const FeatureObjective objective(space, space.embed(mu.x().view(), mu.alpha()));
  Reduced found;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t start = 0; start < (task.starts ? task.starts : kStarts); ++start) {
    Matrix<double> x(n, d);
    std::vector<double> beta(n, 1 / double(n));
    for (std::size_t j = 0; j < n; ++j) {
      const double draw = uniform(task.seed, Draw::candidate, start, j);
      std::copy_n(&mu.x()(std::min(mu.size() - 1, std::size_t(draw * double(mu.size()))), 0), d, &x(j, 0));
    }
    double before = std::numeric_limits<double>::infinity();
    for (std::size_t round = 0; round < kMostAlternations; ++round) {
      if (task.between) task.between();
      const SmoothFunction f = [&](std::span<const double> at, std::span<double> gradient) {
        return objective.fixed_weights(at, beta, gradient);
      };
      const LbfgsResult result =
          lbfgs(f, {x.data(), n * d}, {.memory = kBfgsIterations, .most_iterations = kBfgsIterations});
      found.steps += result.evaluations;
      const Projected best = objective.project(x.view(), kLambda);
      beta = best.beta;
      const double now = std::max(objective.squared_norm() - best.captured, 0.0);
      if (before - now <= kThreshold * now) break;
      before = now;
    }
    std::vector<double> gradient(n * d);
    const double value = objective.fixed_weights({x.data(), n * d}, beta, gradient);
    if (value >= least) continue;
    least = value;
    found.points = x;
    found.weights = beta;
  }
  return found;
}

}  // namespace bochner
