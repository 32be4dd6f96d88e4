// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/reduce.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/clock.h"
#include "base/finite.h"
#include "base/option.h"
#include "base/require.h"
#include "choose/plan_memory.h"
#include "kernels/law.h"
#include "methods/embeddings/reduction.h"
#include "run/compute.h"

namespace bochner {

namespace {

using Method = ReduceOptions::Method;

constexpr std::size_t kExactNorm = 100000;  // points whose pairs are all met
constexpr std::size_t kRsrfFeatures = 100;

// Whether points are rows with equal weights.
bool has_probabilities(Method method) { return method == Method::herding || method == Method::thinning; }

void check(const Expansion& of, const ReduceOptions& options) {
  require((!options.inside && options.indicators.empty()) || options.method == Method::joint ||
              has_probabilities(options.method),
          "method: points are held inside and to levels by the joint method alone, expected it");
  for (const auto& [begin, count] : options.indicators)
    require(begin < of.points.cols() && count <= of.points.cols() - begin,
            "indicators: found inputs {} to {}, expected some of {}", begin, begin + count, of.points.cols());
  require(options.points > 0, "points: found 0, expected 1 or more");
  require(options.features % 2 == 0 || options.method == Method::rsrf, "features: found {}, expected an even number",
          options.features);
  check_expansion(of.points, {of.weights.data(), of.weights.size(), 1, 1}, of.kernel);
}

// The different points with the sum of their weights, where there are at most `most`; otherwise nothing.
Reduced different_points(const Matrix<double>& x, const std::vector<double>& alpha, std::size_t most) {
  std::map<std::vector<double>, double> seen;
  for (std::size_t i = 0; i < x.rows() && seen.size() <= most; ++i) seen[{&x(i, 0), &x(i, 0) + x.cols()}] += alpha[i];
  Reduced found;
  if (seen.size() > most) return found;
  found.points = Matrix<double>(seen.size(), x.cols());
  for (const auto& [point, weight] : seen) {
    std::copy(point.begin(), point.end(), &found.points(found.weights.size(), 0));
    found.weights.push_back(weight);
  }
  return found;
}

// Features of the objective that is told. As many points as rows are exact: more would not be looked for.
std::size_t objective_features(std::size_t points, std::size_t rows, std::size_t inputs) {
  return affordable_features(std::max(200.0, 4.0 * double(std::min(points, rows)) * double(inputs + 1)), inputs);
}

Reduced reduce_by(Method method, const ReduceTask& task) {
  switch (method) {
    case Method::rsrf:
      return reduce_by_rsrf(task);
    case Method::fixed_point:
      return reduce_by_fixed_point(task);
    case Method::herding:
      return reduce_by_herding(task);
    case Method::thinning:
      return reduce_by_thinning(task);
    case Method::kmeans:
      return reduce_to_clusters(task);
    default:
      return reduce_jointly(task);
  }
}

// |mu|^2 - 2 beta . b + beta . K beta.
double squared_distance_of(double norm2, const KernelSum& mu, const Reduced& set) {
  std::vector<double> b(set.weights.size());
  mu.evaluate(set.points.view(), b);
  const Matrix<double> k = kernel_matrix(mu.kernel(), set.points.view());
  double sum = norm2;
  for (std::size_t i = 0; i < b.size(); ++i) {
    double row = 0;
    for (std::size_t j = 0; j < b.size(); ++j) row += k(i, j) * set.weights[j];
    sum += set.weights[i] * (row - 2 * b[i]);
  }
  return std::max(sum, 0.0);
}

}  // namespace

void check_reduce_memory(std::size_t rows, std::size_t inputs, std::size_t functions, const ReduceOptions& options) {
  constexpr double kSlice = 1024;
  const double n = double(rows), d = double(inputs), points = std::min(double(options.points), n);
  const double features =
      options.features ? double(options.features) : double(objective_features(options.points, rows, inputs));
  const int threads = Threads(options.execution).count();
  const double element = in_float(rows) ? sizeof(float) : sizeof(double), slice = std::min(n, kSlice);
  MemoryPlan plan = program_memory(threads, 1);
  plan.add("kernel of slices", 1.5 * threads * slice * (slice + points) * element);  // what was freed may be held too
  plan.add("rows", 2 * n * d * sizeof(double) + n * (3 * d + 1) * element);
  plan.add("weights", 2 * n * double(functions) * sizeof(double));
  plan.add("features", (features * d + n / kSlice * features + points * features) * sizeof(double));
  plan.add("points", (3 * points * points + n / kSlice * points * (d + 1)) * sizeof(double));
  say_or_refuse(plan, double(memory_limit(options.execution)), "reduce",
                fmt::format("raise {}, or take fewer points, features or rows", Option::memory), {});
}

ReducedSet reduce(const Expansion& expansion, const ReduceOptions& options) {
  check(expansion, options);
  check_reduce_memory(expansion.points.rows(), expansion.points.cols(), 1, options);
  const std::size_t n = expansion.points.rows(), d = expansion.points.cols();
  Threads threads(options.execution);
  const Workers on = workers_on(threads);
  const KernelSlope kernel(expansion.kernel);
  Clock clock;
  const KernelSum mu(on, kernel, scaled(expansion.points.view(), expansion.kernel), expansion.weights, in_float(n));
  ReduceTask task{
      mu, options.points, options.features, options.starts, options.seed, [&threads] { threads.check_stop(); }};
  task.weights = options.weights;
  task.inside = options.inside;
  task.indicators = options.indicators;
  if (options.method == Method::rsrf && task.features == 0) task.features = kRsrfFeatures;
  ReducedSet set;
  Reduced found;
  if (2 * options.points >= n) found = different_points(mu.x(), expansion.weights, options.points);
  if (found.weights.empty()) {
    found = reduce_by(options.method, task);
    if (found.points.rows() < options.points) {  // the starts ran out of points that differ to the kernel
      Reduced whole = different_points(mu.x(), expansion.weights, options.points);
      if (!whole.weights.empty()) found = std::move(whole);
    }
  }
  if (options.weights != ReduceOptions::Weights::free && !has_probabilities(options.method)) {
    std::vector<double> b(found.points.rows());
    mu.evaluate(found.points.view(), b);
    found.weights = project_weights(kernel_matrix(kernel, found.points.view()), b, options.weights).beta;
  }
  set.seconds = clock.lap();
  if (found.points.rows() < options.points)
    set.notes.push_back(
        fmt::format("points: there are {} that differ to the kernel, which are the set itself; {} were "
                    "wanted",
                    found.points.rows(), options.points));
  set.steps = found.steps;
  set.kernel = expansion.kernel;
  set.distance_exact = n <= kExactNorm;
  set.features = task.features ? task.features : objective_features(found.points.rows(), n, d);
  const FeatureSpace space(on, kernel, d, set.features, options.seed, options.method == Method::rsrf);
  const FeatureObjective features(space, space.embed(mu.x().view(), mu.alpha()));
  std::vector<double> gradient(found.points.rows() * d);
  set.objective = features.fixed_weights({found.points.data(), found.points.rows() * d}, found.weights, gradient);
  const double norm2 = set.distance_exact ? mu.squared_norm() : features.squared_norm();
  set.norm = std::sqrt(norm2);
  set.rkhs_distance = std::sqrt(squared_distance_of(norm2, mu, found));
  for (std::size_t j = 0; j < d; ++j) {
    bool constant = true;  // then it has nothing to say, and stays what it is to the digit
    for (std::size_t i = 1; i < n && constant; ++i) constant = expansion.points(i, j) == expansion.points(0, j);
    for (std::size_t i = 0; i < found.points.rows(); ++i)
      found.points(i, j) = constant ? expansion.points(0, j) : found.points(i, j) * expansion.kernel.length_scale(j);
  }
  set.points = std::move(found.points);
  set.weights = std::move(found.weights);
  for (const std::string& note : set.notes)
    if (options.say) options.say(note);
  return set;
}

ReducedSet reduce(Rows& rows, const ReduceRowsOptions& options) {
  check_reduce_memory(rows.size().value_or(1), rows.schema().inputs, 1, options.reduce);
  ReduceOptions reduction = options.reduce;
  std::size_t input = 0;
  for (const Column& column : rows.schema().columns) {
    const bool text = column.kind == Column::Kind::category;
    if (text && options.levels) reduction.indicators.emplace_back(input, column.levels.size());
    input += column.inputs();
  }
  return reduce(expansion_of(rows, options.kernel, options.bandwidth, options.coefficients), reduction);
}

}  // namespace bochner
