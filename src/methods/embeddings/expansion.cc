// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/require.h"
#include "bochner/bandwidth.h"
#include "bochner/reduce.h"
#include "kernels/law.h"
#include "methods/embeddings/reduction.h"
#include "run/compute.h"

namespace bochner {

void check_expansion(const Matrix<double>& points, MatrixView<const double> weights, const Kernel& kernel) {
  require(points.rows() > 0 && points.cols() > 0, "reduce: found no points, expected at least one");
  require(weights.rows == points.rows() && weights.cols > 0, "reduce: {} weights of {} points", weights.rows,
          points.rows());
  check_kernel(kernel, points.cols());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < points.cols(); ++j)
      require(std::isfinite(points(i, j)), "reduce: point {}, input {} is {}, expected a finite number", i, j,
              points(i, j));
    for (std::size_t f = 0; f < weights.cols; ++f)
      require(std::isfinite(weights(i, f)), "reduce: weight {} is {}, expected a finite number", i, weights(i, f));
  }
}

Expansion mean_expansion(Matrix<double> points, const Kernel& kernel) {
  Expansion mean{std::move(points), {}, kernel};
  mean.weights.assign(mean.points.rows(), 1 / double(mean.points.rows()));
  return mean;
}

namespace {

std::size_t counted_rows(Rows& rows) {
  if (const auto size = rows.size()) return *size;
  std::size_t count = 0;
  RowBlock<double> block;
  rows.rewind();
  while (rows.next(4096, block)) count += block.rows;
  return count;
}

// Rows as one or several expansions without length scales.
SharedExpansion read_expansion(Rows& rows, const Kernel& kernel, bool coefficients, std::vector<std::size_t> inputs) {
  const Schema& schema = rows.schema();
  require(!schema.sparse, "reduce: found sparse rows, expected dense ones: points lie between rows");
  require(!coefficients || (schema.targets > 0 && schema.task == Task::regression),
          "coefficients: the rows have no column of numbers for them, expected a target that is a number");
  for (const std::size_t j : inputs)
    require(j < schema.inputs, "inputs: found {}, expected 0 to {}", j, schema.inputs - 1);
  if (inputs.empty()) {
    inputs.resize(schema.inputs);
    std::iota(inputs.begin(), inputs.end(), std::size_t(0));
  }
  const std::size_t functions = coefficients ? schema.targets : 1, count = counted_rows(rows);
  if (count == 0) fail(Error::Kind::data, "reduce: found no rows, expected at least one");
  SharedExpansion found{Matrix<double>(count, inputs.size()), Matrix<double>(count, functions), kernel};
  RowBlock<double> block;
  rows.rewind();
  double total = 0;
  std::size_t row = 0;
  while (rows.next(4096, block))
    for (std::size_t i = 0; i < block.rows; ++i, ++row) {
      require(row < count, "reduce: found more rows than the {} that were there before", count);
      for (std::size_t k = 0; k < inputs.size(); ++k) {
        const double v = block.values[i * block.stride + inputs[k]];
        if (!std::isfinite(v))
          fail(Error::Kind::data,
               "row {}, column {}: found {}, expected a finite number; remove the row or fill the value in",
               block.first + i, inputs[k], v);
        found.points(row, k) = v;
      }
      for (std::size_t f = 0; f < functions; ++f)
        found.weights(row, f) = coefficients    ? block.targets[i * block.target_count + f]
                                : block.weights ? block.weights[i]
                                                : 1.0;
      total += found.weights(row, functions - 1);
    }
  if (coefficients) return found;
  if (!(total > 0)) fail(Error::Kind::data, "reduce: every row has the weight 0, expected some above");
  for (std::size_t i = 0; i < count; ++i) found.weights(i, 0) /= total;
  return found;
}

std::vector<double> length_scales(const SharedExpansion& of, const Bandwidth& bandwidth) {
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

SharedExpansion shared_expansion_of(Rows& rows, const Kernel& kernel, const Bandwidth& bandwidth) {
  SharedExpansion of = read_expansion(rows, kernel, true, {});
  of.kernel.length_scales = length_scales(of, bandwidth);
  return of;
}

Expansion expansion_of(Rows& rows, const Kernel& kernel, const Bandwidth& bandwidth, bool coefficients,
                       const std::vector<std::size_t>& inputs) {
  SharedExpansion of = read_expansion(rows, kernel, coefficients, inputs);
  require(of.weights.cols() == 1, "coefficients: found {} columns, expected one", of.weights.cols());
  of.kernel.length_scales = length_scales(of, bandwidth);
  const std::size_t n = of.weights.rows();
  return {std::move(of.points), {of.weights.data(), of.weights.data() + n}, std::move(of.kernel)};
}

std::vector<double> values_at(const Expansion& expansion, MatrixView<const double> points, const Execution& execution) {
  const std::size_t n = expansion.points.rows(), d = expansion.points.cols();
  require(points.cols == d, "points: found {} inputs, expected {}", points.cols, d);
  check_expansion(expansion.points, {expansion.weights.data(), n, 1, 1}, expansion.kernel);
  Threads threads(execution);
  const Workers on = workers_on(threads);
  const KernelSlope kernel(expansion.kernel);
  const KernelSum sum(on, kernel, scaled(expansion.points.view(), expansion.kernel), expansion.weights, in_float(n));
  constexpr std::size_t kPlaces = 512;  // each thread holds the kernel of so many places and a slice of points
  std::vector<double> values(points.rows);
  for (std::size_t begin = 0; begin < points.rows; begin += kPlaces) {
    const std::size_t count = std::min(kPlaces, points.rows - begin);
    const MatrixView<const double> part{points.row(begin), count, d, points.stride};
    sum.evaluate(scaled(part, expansion.kernel).view(), std::span(values).subspan(begin, count));
  }
  return values;
}

}  // namespace bochner
