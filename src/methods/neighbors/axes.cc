// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/neighbors/axes.h"

#include <algorithm>
#include <cmath>

#include "folds/covariance.h"
#include "methods/neighbors/dense_rows.h"
#include "random/draw.h"
#include "solve/fixed_order.h"
#include "solve/subspace.h"

namespace bochner {

namespace {

constexpr std::size_t kCovarianceRows = 2048;
constexpr std::size_t kWidest = 2048;  // inputs whose covariance is formed; above them products with fewer rows
constexpr std::size_t kProductRows = 1024;

std::vector<double> mean_of(const Matrix<float>& x) {
  std::vector<double> mean(x.cols());
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (std::size_t j = 0; j < x.cols(); ++j) mean[j] += double(x(i, j));
  for (double& value : mean) value /= double(x.rows());
  return mean;
}

}  // namespace

std::vector<std::uint32_t> spread_rows(std::size_t rows, std::size_t count, std::uint64_t seed) {
  std::vector<std::uint32_t> places;
  for (std::size_t i = 0; i < std::min(rows, count); ++i) {
    const std::size_t begin = rows * i / std::min(rows, count), end = rows * (i + 1) / std::min(rows, count);
    places.push_back(std::uint32_t(begin + bits(seed, Draw::sample, i, begin) % (end - begin)));
  }
  return places;
}

LeadingAxes::LeadingAxes(const Workers& on, const DenseRows& points, std::uint64_t seed) : seed_(seed + 1) {
  const bool wide = points.cols() > kWidest;
  const std::vector<std::uint32_t> places = spread_rows(points.rows(), wide ? kProductRows : kCovarianceRows, seed_);
  Matrix<float> some(places.size(), points.cols());
  on.threads.run(places.size(), [&](std::size_t i, int) { points.copy(places[i], some.data() + i * some.cols()); });
  mean_ = mean_of(some);
  if (wide) {
    columns_ = Matrix<double>(some.cols(), some.rows());
    for (std::size_t i = 0; i < some.rows(); ++i)
      for (std::size_t j = 0; j < some.cols(); ++j) columns_(j, i) = double(some(i, j)) - mean_[j];
    return;
  }
  double bound = 0;
  for (std::size_t i = 0; i < some.rows(); ++i)
    for (std::size_t j = 0; j < points.cols(); ++j) bound = std::max(bound, std::abs(double(some(i, j)) - mean_[j]));
  if (bound == 0) return;  // all rows are equal, as far as these tell
  CovarianceFold fold(points.cols(), mean_, bound, false);
  fold.add(on, RowBlock<float>::dense(some.view()));
  covariance_ = fold.matrix(on.threads);
}

// C q, where C = A^T A.
Matrix<double> LeadingAxes::spread_along(const Workers& on, const Matrix<double>& directions) const {
  Threads& threads = on.threads;
  if (columns_.rows() == 0) return fixed_order::product(threads, covariance_, directions);
  return fixed_order::product(threads, columns_, fixed_order::transposed_product(threads, columns_, directions));
}

Matrix<double> LeadingAxes::directions(const Workers& on, std::size_t count) const {
  const std::size_t inputs = mean_.size(), most = columns_.rows() > 0 ? columns_.cols() / 2 : inputs;
  if (columns_.rows() == 0 && covariance_.rows() == 0) return Matrix<double>(inputs, 0);
  const auto times = [&](const Matrix<double>& q) { return spread_along(on, q); };
  return leading_subspace(on.threads, times, inputs, count, most, seed_);
}

}  // namespace bochner
