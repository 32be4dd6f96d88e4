// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/landmark_logistic.h"

#include <algorithm>
#include <cmath>

#include "methods/automatic/radial.h"
#include "random/powers.h"
#include "solve/cholesky.h"
#include "solve/fixed_order.h"
#include "solve/lbfgs.h"

namespace bochner {

namespace {

constexpr std::size_t kLogisticTile = 192, kLogisticChunk = 2048;
constexpr double kEnough = 1e-3;          // loss of a row that five more steps must lower, or share of the descent
constexpr double kLeastCurvature = 0.01;  // a row's loss has at least so much
constexpr std::size_t kMostSteps = 40;    // about 10 are taken

}  // namespace

LandmarkLogistic::LandmarkLogistic(const Workers& on, const MetricRows& rows, std::span<const std::uint32_t> landmarks,
                                   const std::vector<char>& held, double q)
    : threads_(on.threads),
      rows_(rows),
      landmarks_(gathered(rows.u, landmarks)),
      q_(q),
      values_(rows.u.rows, landmarks.size() + 1),
      kernel_(landmarks.size() + 1, landmarks.size() + 1) {
  const std::size_t M = landmarks.size(), n = rows.u.rows;
  const PointPanels<float> points = pack_points<float>(std::as_const(landmarks_).view());
  for (std::size_t i = 0; i < n; ++i) {
    values_(i, M) = 1;
    weights_.push_back(held[i] ? 0 : rows.weight(i));
    weight_ += weights_.back();
  }
  kernel_values(on, rows.u, points, q, values_.view());
  kernel_values(on, std::as_const(landmarks_).view(), points, q, kernel_.view());
  for (std::size_t i = 0; i < M; ++i)
    for (std::size_t j = 0; j < i; ++j) kernel_(i, j) = kernel_(j, i) = 0.5 * (kernel_(i, j) + kernel_(j, i));
  kernel_(M, M) = 1;
}

// The first of two classes has the log-odds 0.
double LandmarkLogistic::loss_of_row(std::size_t row, double* odds) const {
  const std::size_t c = rows_.y.cols;
  const bool two = c == 1;
  double most = two ? std::max(0.0, odds[0]) : *std::max_element(odds, odds + c), own = 0;
  for (std::size_t k = 0; k < c; ++k)
    if (rows_.y(row, k) > 0) own = odds[k];
  double sum = two ? portable_exp_negative(-most) : 0;
  for (std::size_t k = 0; k < c; ++k) sum += odds[k] = portable_exp_negative(odds[k] - most);
  for (std::size_t k = 0; k < c; ++k) odds[k] = odds[k] / sum - (rows_.y(row, k) > 0 ? 1 : 0);
  return most + portable_log(sum) - own;
}

double LandmarkLogistic::loss(const Matrix<double>& coefficients, Matrix<double>& slopes) const {
  slopes = fixed_order::product(threads_, values_, coefficients);
  double sum = 0;
  for (std::size_t i = 0; i < slopes.rows(); ++i) sum += weights_[i] * loss_of_row(i, &slopes(i, 0));
  return sum;
}

// L^-1 of L L^T = values' D values + penalty kernel, D the curvature of the losses there, averaged over the classes.
Matrix<double> LandmarkLogistic::inverse_root(const Matrix<double>& coefficients, double penalty) const {
  const std::size_t size = values_.cols(), n = values_.rows();
  Matrix<double> slopes, curved(std::min(n, kLogisticChunk), size);
  loss(coefficients, slopes);
  TiledSymmetric<double> hessian(size, kLogisticTile);
  for (std::size_t begin = 0; begin < n; begin += kLogisticChunk) {
    const std::size_t rows = std::min(kLogisticChunk, n - begin);
    for (std::size_t i = 0; i < rows; ++i) {
      double curvature = 0;
      for (std::size_t k = 0; k < slopes.cols(); ++k) {
        const double slope = std::abs(slopes(begin + i, k));
        curvature += slope * (1 - slope) / double(slopes.cols());
      }
      const double d = weights_[begin + i] * std::max(curvature, kLeastCurvature);
      for (std::size_t j = 0; j < size; ++j) curved(i, j) = d * values_(begin + i, j);
    }
    const auto columns = [&](const double* from, std::size_t I) {
      return MatrixView<const double>{from + I * kLogisticTile, rows, hessian.extent(I), size};
    };
    threads_.run(hessian.tile_count(), [&](std::size_t tile, int) {
      const auto [I, J] = tile_index(tile);
      fixed_order::add_product(columns(curved.data(), I), columns(&values_(begin, 0), J), hessian.block(I, J));
    });
  }
  double diagonal = 0;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) hessian.at(i, j) += penalty * kernel_(i, j);
    diagonal += hessian.at(i, i) / double(size);
  }
  for (double jitter = 1e-10 * diagonal;; jitter *= 100) {
    const Cholesky factor(hessian, jitter, threads_, Cholesky::Arithmetic::same_bits);
    if (!factor.failed_column() || jitter >= diagonal) return factor.inverse_factor(threads_);
  }
}

// The coordinates are v: alpha = at + L^-T v.
Matrix<double> LandmarkLogistic::fit(double lambda, const Matrix<double>& at) const {
  const std::size_t size = values_.cols(), c = rows_.y.cols;
  const double penalty = lambda * weight_;
  const Matrix<double> inverse = inverse_root(at, penalty);
  const auto moved = [&](std::span<const double> x) {
    Matrix<double> v(size, c);
    std::copy(x.begin(), x.end(), v.data());
    Matrix<double> alpha = fixed_order::transposed_product(threads_, inverse, v);
    for (std::size_t i = 0; i < size * c; ++i) alpha.data()[i] += at.data()[i];
    return alpha;
  };
  const auto f = [&](std::span<const double> x, std::span<double> gradient) {
    const Matrix<double> alpha = moved(x), smooth = fixed_order::product(threads_, kernel_, alpha);
    Matrix<double> slopes;
    double sum = loss(alpha, slopes);
    for (std::size_t i = 0; i < slopes.rows(); ++i)
      for (std::size_t k = 0; k < c; ++k) slopes(i, k) *= weights_[i];
    Matrix<double> g = fixed_order::transposed_product(threads_, values_, slopes);
    for (std::size_t i = 0; i < size * c; ++i) {
      sum += 0.5 * penalty * alpha.data()[i] * smooth.data()[i];
      g.data()[i] += penalty * smooth.data()[i];
    }
    g = fixed_order::product(threads_, inverse, g);
    std::copy_n(g.data(), size * c, gradient.begin());
    return sum;
  };
  std::vector<double> x(size * c, 0.0);
  lbfgs(f, x, {.most_iterations = kMostSteps, .share = kEnough, .least = kEnough * weight_, .first_step = 1e9});
  return moved(x);
}

Matrix<double> LandmarkLogistic::log_odds(const Matrix<double>& coefficients, std::span<const std::uint32_t> of) const {
  Matrix<double> values(of.size(), values_.cols());
  for (std::size_t p = 0; p < of.size(); ++p) std::copy_n(&values_(of[p], 0), values.cols(), &values(p, 0));
  return fixed_order::product(threads_, values, coefficients);
}

double LandmarkLogistic::log_loss(const Matrix<double>& log_odds, std::span<const std::uint32_t> of) const {
  double sum = 0, weight = 0;
  std::vector<double> odds(log_odds.cols());
  for (std::size_t p = 0; p < of.size(); ++p) {
    std::copy_n(&log_odds(p, 0), odds.size(), odds.begin());
    sum += rows_.weight(of[p]) * loss_of_row(of[p], odds.data());
    weight += rows_.weight(of[p]);
  }
  return weight > 0 ? sum / weight : 0;
}

MapPtr LandmarkLogistic::map(const Matrix<double>& coefficients, double slope) const {
  const std::size_t M = landmarks_.rows(), c = rows_.y.cols;
  Matrix<double> alpha(M, c);
  std::vector<double> constant(c);
  for (std::size_t k = 0; k < c; ++k) {
    for (std::size_t i = 0; i < M; ++i) alpha(i, k) = slope * coefficients(i, k);
    constant[k] = slope * coefficients(M, k);
  }
  return radial_machine(landmarks_, q_, std::move(alpha), std::move(constant));
}

}  // namespace bochner
