// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/reduce.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/clock.h"
#include "base/finite.h"
#include "base/require.h"
#include "bochner/bandwidth.h"
#include "embeddings/reduction.h"
#include "kernels/law.h"
#include "run/compute.h"

namespace bochner {

namespace {

using Method = ReduceOptions::Method;

constexpr std::size_t kDoublePoints = 20000;  // more are taken in float
constexpr std::size_t kExactNorm = 100000;    // points whose pairs are all met
constexpr std::size_t kRsrfFeatures = 100;

void check(const Expansion& of, const ReduceOptions& options) {
  require(options.points > 0, "points: found 0, expected 1 or more");
  require(of.points.rows() > 0 && of.points.cols() > 0, "reduce: found no points, expected at least one");
  require(of.weights.size() == of.points.rows(), "reduce: {} weights of {} points", of.weights.size(),
          of.points.rows());
  require(options.features % 2 == 0 || options.method == Method::rsrf, "features: found {}, expected an even number",
          options.features);
  check_kernel(of.kernel, of.points.cols());
  for (std::size_t i = 0; i < of.points.rows(); ++i) {
    for (std::size_t j = 0; j < of.points.cols(); ++j)
      require(std::isfinite(of.points(i, j)), "reduce: point {}, input {} is {}, expected a finite number", i, j,
              of.points(i, j));
    require(std::isfinite(of.weights[i]), "reduce: weight {} is {}, expected a finite number", i, of.weights[i]);
  }
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

// Divided by the length scales.
Matrix<double> scaled(MatrixView<const double> points, const Kernel& kernel) {
  Matrix<double> x(points.rows, points.cols);
  for (std::size_t i = 0; i < points.rows; ++i)
    for (std::size_t j = 0; j < points.cols; ++j) x(i, j) = points(i, j) / kernel.length_scale(j);
  return x;
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

Expansion mean_expansion(Matrix<double> points, const Kernel& kernel) {
  Expansion mean{std::move(points), {}, kernel};
  mean.weights.assign(mean.points.rows(), 1 / double(mean.points.rows()));
  return mean;
}

ReducedSet reduce(const Expansion& expansion, const ReduceOptions& options) {
  check(expansion, options);
  const std::size_t n = expansion.points.rows(), d = expansion.points.cols();
  Threads threads(options.execution);
  const Workers on = workers_on(threads);
  const KernelSlope kernel(expansion.kernel);
  Clock clock;
  const KernelSum mu(on, kernel, scaled(expansion.points.view(), expansion.kernel), expansion.weights,
                     n > kDoublePoints);
  ReduceTask task{
      mu, options.points, options.features, options.starts, options.seed, [&threads] { threads.check_stop(); }};
  if (options.method == Method::rsrf && task.features == 0) task.features = kRsrfFeatures;
  ReducedSet set;
  Reduced found;
  if (2 * options.points >= n) found = different_points(mu.x(), expansion.weights, options.points);
  if (found.weights.empty()) {
    found = reduce_by(options.method, task);
    if (found.points.rows() < options.points)  // the starts ran out of different points
      found = different_points(mu.x(), expansion.weights, options.points);
  }
  set.seconds = clock.lap();
  if (found.points.rows() < options.points)
    set.notes.push_back(fmt::format("points: there are {} different ones, which are the set itself; {} were wanted",
                                    found.points.rows(), options.points));
  set.steps = found.steps;
  set.kernel = expansion.kernel;
  set.distance_exact = n <= kExactNorm;
  set.features = task.features ? task.features : std::max<std::size_t>(200, 4 * options.points * (d + 1));
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

namespace {

// Rows as an expansion without length scales.
Expansion read_expansion(Rows& rows, const Kernel& kernel, bool coefficients, std::vector<std::size_t> inputs) {
  const Schema& schema = rows.schema();
  require(!schema.sparse, "reduce: found sparse rows, expected dense ones: points lie between rows");
  require(!coefficients || (schema.targets == 1 && schema.task == Task::regression),
          "coefficients: the rows have no column of numbers for them, expected one target that is a number");
  for (const std::size_t j : inputs)
    require(j < schema.inputs, "inputs: found {}, expected 0 to {}", j, schema.inputs - 1);
  if (inputs.empty()) {
    inputs.resize(schema.inputs);
    std::iota(inputs.begin(), inputs.end(), std::size_t(0));
  }
  std::vector<double> values;
  Expansion found{{}, {}, kernel};
  RowBlock<double> block;
  rows.rewind();
  double total = 0;
  while (rows.next(4096, block))
    for (std::size_t i = 0; i < block.rows; ++i) {
      for (const std::size_t j : inputs) {
        const double v = block.values[i * block.stride + j];
        if (!std::isfinite(v))
          fail(Error::Kind::data,
               "row {}, column {}: found {}, expected a finite number; remove the row or fill the value in",
               block.first + i, j, v);
        values.push_back(v);
      }
      found.weights.push_back(coefficients ? block.targets[i] : block.weights ? block.weights[i] : 1.0);
      total += found.weights.back();
    }
  if (found.weights.empty()) fail(Error::Kind::data, "reduce: found no rows, expected at least one");
  if (!coefficients) {
    if (!(total > 0)) fail(Error::Kind::data, "reduce: every row has the weight 0, expected some above");
    for (double& w : found.weights) w /= total;
  }
  found.points = Matrix<double>(found.weights.size(), inputs.size());
  std::copy(values.begin(), values.end(), found.points.data());
  return found;
}

std::vector<double> length_scales(const Expansion& of, const Bandwidth& bandwidth) {
  require(!bandwidth.searched(),
          "bandwidth: found one to be searched, expected median, scale or numbers: there is no target");
  if (bandwidth.rule == Bandwidth::Rule::given) return bandwidth.length_scales;
  constexpr std::size_t kSample = 4096;
  const std::size_t stride = (of.points.rows() + kSample - 1) / kSample, d = of.points.cols();
  Matrix<double> sample((of.points.rows() + stride - 1) / stride, d);
  for (std::size_t i = 0; i < sample.rows(); ++i) std::copy_n(&of.points(i * stride, 0), d, &sample(i, 0));
  return {bandwidth.rule == Bandwidth::Rule::median ? median_bandwidth(of.kernel, sample.view())
                                                    : scale_bandwidth(of.kernel, sample.view())};
}

}  // namespace

Expansion expansion_of(Rows& rows, const Kernel& kernel, const Bandwidth& bandwidth, bool coefficients,
                       const std::vector<std::size_t>& inputs) {
  Expansion of = read_expansion(rows, kernel, coefficients, inputs);
  of.kernel.length_scales = length_scales(of, bandwidth);
  return of;
}

std::vector<double> values_at(const Expansion& expansion, MatrixView<const double> points, const Execution& execution) {
  const std::size_t n = expansion.points.rows(), d = expansion.points.cols();
  require(points.cols == d, "points: found {} inputs, expected {}", points.cols, d);
  check(expansion, {});
  Threads threads(execution);
  const Workers on = workers_on(threads);
  const KernelSlope kernel(expansion.kernel);
  const KernelSum sum(on, kernel, scaled(expansion.points.view(), expansion.kernel), expansion.weights,
                      n > kDoublePoints);
  std::vector<double> values(points.rows);
  sum.evaluate(scaled(points, expansion.kernel).view(), values);
  return values;
}

ReducedSet reduce(Rows& rows, const ReduceRowsOptions& options) {
  return reduce(expansion_of(rows, options.kernel, options.bandwidth, options.coefficients), options.reduce);
}

}  // namespace bochner
