// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "neighbors/axes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "folds/covariance.h"
#include "neighbors/dense_rows.h"
#include "random/draw.h"
#include "solve/fixed_order.h"

namespace bochner {

namespace {

constexpr std::size_t kCovarianceRows = 4096;
constexpr std::size_t kWidest = 2048;  // inputs whose covariance is formed; above them products with fewer rows
constexpr std::size_t kProductRows = 1024;
constexpr std::size_t kRowsOfPiece = 96;
constexpr std::size_t kRounds = 5, kMoreAxes = 16;  // axes near the last that is wanted take its place in early rounds

std::vector<double> mean_of(const Matrix<float>& x) {
  std::vector<double> mean(x.cols());
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (std::size_t j = 0; j < x.cols(); ++j) mean[j] += double(x(i, j));
  for (double& value : mean) value /= double(x.rows());
  return mean;
}

// In lanes whose order no vector width changes.
double product(const double* x, const double* y, std::size_t n) {
  constexpr std::size_t kLanes = 8;
  double lane[kLanes] = {}, rest = 0;
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) lane[k] += x[i + k] * y[i + k];
  for (; i < n; ++i) rest += x[i] * y[i];
  return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7])) + rest;
}

template <class Visit>
void each_piece(const Workers& on, std::size_t rows, const Visit& visit) {
  on.threads.run((rows + kRowsOfPiece - 1) / kRowsOfPiece, [&](std::size_t piece, int) {
    const std::size_t begin = piece * kRowsOfPiece;
    visit(begin, std::min(kRowsOfPiece, rows - begin));
  });
}

Matrix<double> product_of(const Workers& on, const Matrix<double>& a, const Matrix<double>& b) {
  Matrix<double> c(a.rows(), b.cols());
  each_piece(on, a.rows(), [&](std::size_t begin, std::size_t rows) {
    fixed_order::multiply(MatrixView<const double>(a.view()).slice(begin, rows), b.view(), c.view().slice(begin, rows));
  });
  return c;
}

Matrix<double> transposed(const Matrix<double>& a) {
  Matrix<double> b(a.cols(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j) b(j, i) = a(i, j);
  return b;
}

// Gram-Schmidt, the longest column first and each twice; columns that the others span are left out.
Matrix<double> orthonormal(const Matrix<double>& columns, std::size_t most) {
  constexpr double kSpanned = 1e-12;
  const Matrix<double> from = transposed(columns);
  const std::size_t inputs = from.cols();
  std::vector<double> length(from.rows());
  for (std::size_t i = 0; i < from.rows(); ++i)
    length[i] = std::sqrt(product(from.data() + i * inputs, from.data() + i * inputs, inputs));
  std::vector<std::size_t> order(from.rows());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return length[a] > length[b]; });
  Matrix<double> rows(std::min(most, from.rows()), inputs);
  std::size_t count = 0;
  for (const std::size_t i : order) {
    if (count == rows.rows()) break;
    double* to = rows.data() + count * inputs;
    std::copy_n(from.data() + i * inputs, inputs, to);
    for (int turn = 0; turn < 2; ++turn)
      for (std::size_t other = 0; other < count; ++other) {
        const double* with = rows.data() + other * inputs;
        const double along = product(to, with, inputs);
        for (std::size_t j = 0; j < inputs; ++j) to[j] -= along * with[j];
      }
    const double left = std::sqrt(product(to, to, inputs));
    if (!(left > kSpanned * length[i]) || !(left > kSpanned * length[order[0]])) continue;
    for (std::size_t j = 0; j < inputs; ++j) to[j] /= left;
    ++count;
  }
  Matrix<double> kept(count, inputs);
  std::copy_n(rows.data(), count * inputs, kept.data());
  return transposed(kept);
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
  each_piece(on, places.size(), [&](std::size_t begin, std::size_t rows) {
    for (std::size_t i = begin; i < begin + rows; ++i) points.copy(places[i], some.data() + i * some.cols());
  });
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
  if (columns_.rows() == 0) return product_of(on, covariance_, directions);
  Matrix<double> along(columns_.cols(), directions.cols());
  each_piece(on, along.rows(), [&](std::size_t begin, std::size_t rows) {
    const MatrixView<const double> some{columns_.data() + begin, columns_.rows(), rows, columns_.cols()};
    fixed_order::transposed_multiply(some, directions.view(), along.view().slice(begin, rows));
  });
  return product_of(on, columns_, along);
}

Matrix<double> LeadingAxes::directions(const Workers& on, std::size_t count) const {
  const std::size_t inputs = mean_.size(), most = columns_.rows() > 0 ? columns_.cols() / 2 : inputs;
  if (columns_.rows() == 0 && covariance_.rows() == 0) return Matrix<double>(inputs, 0);
  count = std::min(count, most);
  Matrix<double> q(inputs, std::min(count + kMoreAxes, most));
  each_piece(on, inputs, [&](std::size_t begin, std::size_t rows) {
    for (std::size_t i = begin; i < begin + rows; ++i)
      for (std::size_t j = 0; j < q.cols(); ++j) q(i, j) = normal(seed_, Draw::sketch, i, j);
  });
  for (std::size_t round = 0; round < kRounds && q.cols() > 0; ++round)
    q = orthonormal(spread_along(on, q), round + 1 < kRounds ? q.cols() : count);
  return q;
}

}  // namespace bochner
