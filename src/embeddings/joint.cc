// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>

#include "embeddings/reduction.h"

namespace bochner {

namespace {

// Products of points with points of the expansion below which the distance itself is descended from the start.
constexpr double kSmallWork = 1e8;
constexpr double kMostFeatureWork = 1.5e9;  // rows x features, for the features of all rows
constexpr std::size_t kRaceIterations = 8, kExactIterations = 150, kPolishIterations = 12;

struct Candidate {
  Matrix<double> points;
  double value = 0;
};

std::span<double> numbers_of(Matrix<double>& x) { return {x.data(), x.rows() * x.cols()}; }

// A step of about a length scale for every point at most.
double first_step(const Matrix<double>& x) { return 0.3 * std::sqrt(double(x.rows())); }

// The best of several starts after a few iterations each goes on.
Candidate race(const SmoothFunction& f, const ReduceTask& task, std::size_t& steps) {
  Candidate best;
  for (std::size_t s = 0; s < task.starts; ++s) {
    Candidate one{start_points(task.mu, task.points, task.seed + s), 0};
    if (task.starts > 1) {
      const LbfgsResult result =
          lbfgs(f, numbers_of(one.points),
                {.most_iterations = kRaceIterations, .first_step = first_step(one.points), .between = task.between});
      one.value = result.value;
      steps += result.evaluations;
    }
    if (s == 0 || one.value < best.value) best = std::move(one);
  }
  return best;
}

}  // namespace

Reduced reduce_jointly(const ReduceTask& task) {
  const KernelSum& mu = task.mu;
  const double unknowns = double(task.points) * double(mu.inputs() + 1);
  const double work = double(mu.size()) * unknowns;
  ReduceTask racing = task;
  if (racing.starts == 0) racing.starts = work > kSmallWork ? 1 : std::clamp<std::size_t>(10 / task.points, 1, 8);
  Reduced found;
  ExactObjective exact(mu);
  const SmoothFunction f = [&](std::span<const double> x, std::span<double> g) { return exact(x, g); };
  std::size_t iterations = kExactIterations;
  if (work > kSmallWork || task.features > 0) {  // few passes over the expansion: its features stand in for it
    const double most = std::max(kMostFeatureWork / double(mu.size()), 200.0);
    const std::size_t features = task.features > 0 ? task.features : 2 * std::size_t(std::min(unknowns, most / 2));
    const FeatureSpace space(mu.on(), mu.kernel(), mu.inputs(), features, task.seed);
    FeatureObjective rough(space, space.embed(mu.x().view(), mu.alpha()));
    const SmoothFunction g = [&](std::span<const double> x, std::span<double> out) { return rough(x, out); };
    found.points = race(g, racing, found.steps).points;
    const LbfgsResult result =
        lbfgs(g, numbers_of(found.points),
              {.most_iterations = 100, .share = 1e-3, .first_step = first_step(found.points), .between = task.between});
    found.steps += result.evaluations;
    if (work > kSmallWork) iterations = kPolishIterations;
  } else {
    found.points = race(f, racing, found.steps).points;
  }
  const LbfgsResult result =
      lbfgs(f, numbers_of(found.points),
            {.memory = 20, .most_iterations = iterations, .share = 5e-4, .first_step = 0.1, .between = task.between});
  found.steps += result.evaluations;
  std::vector<double> gradient(found.points.rows() * mu.inputs());
  exact(numbers_of(found.points), gradient);  // the line search may have looked elsewhere last
  found.weights = exact.beta();
  return found;
}

}  // namespace bochner
