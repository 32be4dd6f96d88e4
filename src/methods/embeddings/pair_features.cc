// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/embeddings/pair_features.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/require.h"
#include "bochner/bandwidth.h"
#include "bochner/kernel_family.h"
#include "maps/map_rows.h"
#include "methods/embeddings/input_scales.h"

namespace bochner {

namespace {

MatrixView<float> columns(Matrix<float>& z, std::size_t begin, std::size_t count) {
  return {z.data() + begin, z.rows(), count, z.cols()};
}

// Ranks of a number in (0, 1), equal numbers in their middle, and cosines of them: k(r, s) = sum 2 cos cos / k^2.
void add_rank_features(MatrixView<const double> x, std::size_t input, MatrixView<float> across) {
  std::vector<std::size_t> order(x.rows);
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x(a, input) < x(b, input); });
  for (std::size_t begin = 0, end; begin < order.size(); begin = end) {
    for (end = begin + 1; end < order.size() && x(order[end], input) == x(order[begin], input);) ++end;
    const double rank = double(begin + end) / 2 / double(order.size());
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t k = 1; k <= kRankFeatures; ++k)
        across(k - 1, order[i]) = float(std::sqrt(2.0) / double(k) * std::cos(M_PI * double(k) * rank));
  }
}

}  // namespace

PairFeatures::PairFeatures(const Schema& schema, const Matrix<double>& x, const Matrix<double>& y,
                           const IndependenceOptions& given)
    : classes_(schema.task == Task::classification ? schema.labels.size() : 0), several_(given.bandwidths.size()) {
  inputs_ = map_of(input_scales(schema, x.view()), x, given, 0);
  if (classes_ == 0) targets_ = map_of(number_scales(y.view()), y, given, several_);
  features_ = given.features;
}

MapPtr PairFeatures::map_of(const std::vector<double>& scales, const Matrix<double>& sample,
                            const IndependenceOptions& given, std::size_t stream) {
  const double median = median_bandwidth(given.kernel, divided(sample.view(), scales).view());
  std::vector<MapPtr> maps;
  for (const double factor : given.bandwidths) {
    FourierOptions options{.kernel = given.kernel, .features = given.features};
    options.kernel.length_scales = scales;
    for (double& scale : options.kernel.length_scales) scale *= factor * median;
    options.seed = given.seed + stream + maps.size();
    if (given.kernel.family->law == KernelFamily::Law::radial) options.draw = FourierOptions::Draw::orthogonal;
    maps.push_back(fourier(scales.size(), options));
  }
  return concat(std::move(maps));
}

Matrix<float> joint_features(const Workers& on, const RowBlock<float>& x, const Map& z, const Map& u) {
  Matrix<float> joint(x.rows, z.outputs() + u.outputs()), y(x.rows, x.target_count);
  map_rows(on, z, x, columns(joint, 0, z.outputs()));
  for (std::size_t k = 0; k < x.rows * x.target_count; ++k) {
    y.data()[k] = float(x.targets[k]);
    if (!std::isfinite(y.data()[k]))
      fail(Error::Kind::data, "row {}: its target is {}, expected a number in the range of float; divide the targets",
           x.first + k / x.target_count, x.targets[k]);
  }
  map_rows(on, u, RowBlock<float>::dense(y.view()), columns(joint, z.outputs(), u.outputs()));
  return joint;
}

Matrix<float> PairFeatures::of(const Workers& on, const RowBlock<float>& x) const {
  if (classes_ == 0) return joint_features(on, x, *inputs_, *targets_);
  Matrix<float> z(x.rows, all_left() + all_right());
  map_rows(on, *inputs_, x, columns(z, 0, all_left()));
  for (std::size_t i = 0; i < x.rows; ++i) z(i, all_left() + std::size_t(x.targets[i * x.target_count])) = 1;
  return z;
}

void centre_rows(MatrixView<float> z) {
  for (std::size_t i = 0; i < z.rows; ++i) {
    double mean = 0;
    for (std::size_t j = 0; j < z.cols; ++j) mean += double(z(i, j)) / double(z.cols);
    for (std::size_t j = 0; j < z.cols; ++j) z(i, j) = float(double(z(i, j)) - mean);
  }
}

void centre_columns(MatrixView<float> z) {
  std::vector<double> mean(z.cols);
  for (std::size_t i = 0; i < z.rows; ++i)
    for (std::size_t j = 0; j < z.cols; ++j) mean[j] += double(z(i, j)) / double(z.rows);
  for (std::size_t i = 0; i < z.rows; ++i)
    for (std::size_t j = 0; j < z.cols; ++j) z(i, j) = float(double(z(i, j)) - mean[j]);
}

ColumnFeatures column_features(const Schema& schema, MatrixView<const double> x) {
  ColumnFeatures found;
  std::vector<std::pair<std::size_t, bool>> inputs;  // the first of a column; whether it is a number
  std::size_t input = 0;
  const auto add = [&](const std::string& name, std::size_t count, bool number) {
    found.names.push_back(name);
    found.edges.push_back(found.edges.back() + (number ? kRankFeatures : count));
    inputs.emplace_back(input, number);
    input += count;
  };
  if (schema.columns.empty())
    for (const std::string& name : schema.input_names()) add(name, 1, true);
  for (const Column& column : schema.columns) {
    if (column.kind == Column::Kind::numeric) add(column.name, column.inputs(), true);
    if (column.kind == Column::Kind::category) add(column.name, column.levels.size(), false);
  }
  if (found.edges.back() > kMostColumnFeatures) return {};
  Matrix<float> across(found.edges.back(), x.rows);
  for (std::size_t c = 0; c < inputs.size(); ++c) {
    const auto [first, number] = inputs[c];
    if (number) {
      add_rank_features(x, first, across.view().slice(found.edges[c], kRankFeatures));
      continue;
    }
    for (std::size_t i = 0; i < x.rows; ++i)
      for (std::size_t k = found.edges[c]; k < found.edges[c + 1]; ++k)
        across(k, i) = float(x(i, first + k - found.edges[c]));
  }
  centre_rows(across.view());
  found.across = std::move(across);
  return found;
}

}  // namespace bochner
