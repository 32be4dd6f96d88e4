// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cmath>

#include "base/clock.h"
#include "base/require.h"
#include "bochner/reduce.h"
#include "kernels/law.h"
#include "methods/embeddings/reduction.h"
#include "run/compute.h"
#include "solve/lbfgs.h"

namespace bochner {

namespace {

constexpr std::size_t kIterations = 1000;

void check(const SharedExpansion& of, const ReduceOptions& options) {
  require(options.method == ReduceOptions::Method::joint,
          "method: several functions share points by the joint method alone, expected it");
  require(options.points > 0, "points: found 0, expected 1 or more");
  check_expansion(of.points, of.weights.view(), of.kernel);
}

// What tells the functions apart: the largest of them stays the largest where their mean is taken away, and fewer
// points do for the rest.
void leave_out_mean(Matrix<double>& weights) {
  for (std::size_t i = 0; i < weights.rows(); ++i) {
    double sum = 0;
    for (std::size_t f = 0; f < weights.cols(); ++f) sum += weights(i, f);
    for (std::size_t f = 0; f < weights.cols(); ++f) weights(i, f) -= sum / double(weights.cols());
  }
}

}  // namespace

SharedSet reduce_together(const SharedExpansion& of, const ReduceOptions& options) {
  check(of, options);
  check_reduce_memory(of.points.rows(), of.points.cols(), of.weights.cols(), options);
  Matrix<double> weights = of.weights;
  const std::size_t n = of.points.rows(), functions = of.weights.cols();
  if (options.compared && functions > 1) leave_out_mean(weights);
  Threads threads(options.execution);
  const Workers on = workers_on(threads);
  const KernelSlope kernel(of.kernel);
  Clock clock;
  const Matrix<double> x = scaled(of.points.view(), of.kernel);
  const KernelSums mus(on, kernel, x, weights);
  std::vector<double> mass(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t f = 0; f < functions; ++f) mass[i] += std::fabs(weights(i, f));
  const double norm2 = mus.squared_norm();
  SharedSet set{cluster_centres(x, mass, options.points, options.seed, 5),
                {},
                0,
                std::sqrt(std::max(norm2, 0.0)),
                0,
                0,
                of.kernel};
  SharedObjective objective(mus);
  const SmoothFunction f = [&](std::span<const double> at, std::span<double> g) { return objective(at, g); };
  const std::span<double> numbers(set.points.data(), set.points.rows() * set.points.cols());
  set.steps = lbfgs(f, numbers,
                    {.memory = 20,
                     .most_iterations = kIterations,
                     .share = 1e-5,
                     .first_step = 0.3 * std::sqrt(double(set.points.rows())),
                     .between = [&threads] { threads.check_stop(); }})
                  .evaluations;
  std::vector<double> gradient(numbers.size());
  set.rkhs_distance = std::sqrt(std::max(norm2 + objective(numbers, gradient), 0.0));
  set.weights = objective.beta();
  for (std::size_t i = 0; i < set.points.rows(); ++i)
    for (std::size_t j = 0; j < set.points.cols(); ++j) set.points(i, j) *= of.kernel.length_scale(j);
  set.seconds = clock.lap();
  return set;
}

}  // namespace bochner
