// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/mixtures/gaussians.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/finite.h"
#include "base/lease.h"
#include "base/require.h"
#include "maps/lower_factor.h"

namespace bochner {

namespace {

constexpr std::size_t kLanes = 16;  // partial sums of a squared length

// |v|^2 by partial sums that the compiler turns into vectors.
template <class T>
double squared_length(const T* v, std::size_t n) {
  T sum[kLanes] = {};
  std::size_t j = 0;
  for (; j + kLanes <= n; j += kLanes)
    for (std::size_t l = 0; l < kLanes; ++l) sum[l] += v[j + l] * v[j + l];
  double all = 0;
  for (std::size_t l = 0; l < kLanes; ++l) all += double(sum[l]);
  for (; j < n; ++j) all += double(v[j]) * double(v[j]);
  return all;
}

template <class T>
double squared_distance(const T* u, const T* v, std::size_t n) {
  T sum[kLanes] = {};
  std::size_t j = 0;
  for (; j + kLanes <= n; j += kLanes)
    for (std::size_t l = 0; l < kLanes; ++l) {
      const T difference = u[j + l] - v[j + l];
      sum[l] += difference * difference;
    }
  double all = 0;
  for (std::size_t l = 0; l < kLanes; ++l) all += double(sum[l]);
  for (; j < n; ++j) all += (double(u[j]) - double(v[j])) * (double(u[j]) - double(v[j]));
  return all;
}

void check(const Gaussians& g) {
  using Kind = CovarianceForm::Kind;
  const std::size_t K = g.size(), d = g.inputs();
  require(K > 0 && d > 0, "gaussians: found {} of {} inputs, expected at least one of each", K, d);
  const std::size_t variances = g.form.kind == Kind::diag || g.form.kind == Kind::lowrank ? d
                                : g.form.kind == Kind::spherical                          ? 1
                                                                                          : 0;
  require(g.variances.rows() * g.variances.cols() == K * variances && (variances == 0 || g.variances.rows() == K),
          "gaussians: found {} x {} variances, expected {} x {}", g.variances.rows(), g.variances.cols(), K, variances);
  const std::size_t matrices = g.form.kind == Kind::full || g.form.kind == Kind::lowrank ? K
                               : g.form.kind == Kind::tied                               ? 1
                                                                                         : 0;
  require(g.matrices.size() == matrices, "gaussians: found {} matrices, expected {}", g.matrices.size(), matrices);
  const std::size_t cols = g.form.kind == Kind::lowrank ? g.form.rank : d;
  require(g.form.kind != Kind::lowrank || (cols >= 1 && cols <= d), "gaussians: found rank {} for {} inputs", cols, d);
  require(all_finite<double>({g.means.data(), K * d}), "gaussians: a mean is not finite");
  for (std::size_t i = 0; i < K * variances; ++i)
    require(std::isfinite(g.variances.data()[i]) && g.variances.data()[i] > 0,
            "gaussians: a variance is {}, expected a positive number", g.variances.data()[i]);
  for (const Matrix<double>& matrix : g.matrices) {
    require(matrix.rows() == d && matrix.cols() == cols, "gaussians: a matrix is {} x {}, expected {} x {}",
            matrix.rows(), matrix.cols(), d, cols);
    require(all_finite<double>({matrix.data(), d * cols}), "gaussians: a covariance is not finite");
  }
}

template <class T>
Matrix<T> rounded(const Matrix<double>& a) {
  Matrix<T> b(a.rows(), a.cols());
  std::copy_n(a.data(), a.rows() * a.cols(), b.data());
  return b;
}

double mean_of_means(const Gaussians& g, std::size_t j) {
  double mean = 0;
  for (std::size_t k = 0; k < g.size(); ++k) mean += g.means(k, j) / double(g.size());
  return mean;
}

double gaussian_constant(std::size_t d, double log_det) {
  return -0.5 * (double(d) * std::log(2 * std::numbers::pi) + log_det);
}

}  // namespace

template <class T>
GaussianDensities<T>::GaussianDensities(const Gaussians& g)
    : form_(g.form), inputs_(g.inputs()), constants_(g.size()), means_(rounded<T>(g.means)) {
  check(g);
  switch (form_.kind) {
    case CovarianceForm::Kind::full:
    case CovarianceForm::Kind::tied:
      prepare_full(g);
      break;
    case CovarianceForm::Kind::diag:
    case CovarianceForm::Kind::spherical:
      prepare_diagonal(g);
      break;
    case CovarianceForm::Kind::lowrank:
      prepare_low_rank(g);
      break;
  }
}

template <class T>
void GaussianDensities<T>::prepare_full(const Gaussians& g) {
  const std::size_t d = inputs_, K = g.size();
  Matrix<double> inverse;
  for (std::size_t k = 0; k < g.matrices.size(); ++k) {
    Matrix<double> lower = g.matrices[k];
    const std::size_t failed = factor_lower_in_place(lower.view());
    require(failed == 0, "gaussians: the covariance of component {} is not positive definite at input {}", k,
            failed ? failed - 1 : 0);
    double log_det = 0;
    for (std::size_t j = 0; j < d; ++j) log_det += 2 * std::log(lower(j, j));
    inverse = inverse_lower(lower.view());
    whiten_.push_back(pack_lower<T>(inverse.view()));
    if (form_.kind == CovarianceForm::Kind::full)
      constants_[k] = gaussian_constant(d, log_det);
    else
      std::fill(constants_.begin(), constants_.end(), gaussian_constant(d, log_det));
  }
  if (form_.kind == CovarianceForm::Kind::full) return;
  origin_.resize(d);
  for (std::size_t j = 0; j < d; ++j) origin_[j] = T(mean_of_means(g, j));
  whitened_ = Matrix<T>(K, d);
  for (std::size_t k = 0; k < K; ++k)
    for (std::size_t i = 0; i < d; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j <= i; ++j) sum += inverse(i, j) * (g.means(k, j) - double(origin_[j]));
      whitened_(k, i) = T(sum);
    }
}

template <class T>
void GaussianDensities<T>::prepare_diagonal(const Gaussians& g) {
  const bool one = form_.kind == CovarianceForm::Kind::spherical;
  diagonal_ = DiagonalGaussians<T>(g.size(), inputs_);
  for (std::size_t j = 0; j < inputs_; ++j) diagonal_.origin[j] = T(mean_of_means(g, j));
  for (std::size_t k = 0; k < g.size(); ++k) {
    double log_det = 0;
    for (std::size_t j = 0; j < inputs_; ++j) {
      const double variance = g.variances(k, one ? 0 : j);
      log_det += std::log(variance);
      diagonal_.set(k, j, g.means(k, j), 1 / std::sqrt(variance));
    }
    constants_[k] = gaussian_constant(inputs_, log_det);
  }
}

template <class T>
void GaussianDensities<T>::prepare_low_rank(const Gaussians& g) {
  const std::size_t d = inputs_, rank = form_.rank;
  wide_means_ = g.means;
  wide_factors_ = Matrix<double>(g.size(), d);
  for (std::size_t k = 0; k < g.size(); ++k) {
    double log_det = 0;
    for (std::size_t j = 0; j < d; ++j) {
      log_det += std::log(g.variances(k, j));
      wide_factors_(k, j) = 1 / std::sqrt(g.variances(k, j));
    }
    const LowRankInverse inverse(g.matrices[k].view(), {&g.variances(k, 0), d});
    for (std::size_t a = 0; a < rank; ++a) log_det += 2 * std::log(inverse.core(a, a));
    directions_.push_back(inverse.directions);
    require(std::isfinite(log_det), "gaussians: the covariance of component {} is not finite", k);
    constants_[k] = gaussian_constant(d, log_det);
  }
}

template <class T>
void GaussianDensities<T>::log_densities(const Backend& on, MatrixView<const T> x, std::size_t first, std::size_t count,
                                         MatrixView<double> out) const {
  switch (form_.kind) {
    case CovarianceForm::Kind::full:
      for (std::size_t k = 0; k < count; ++k) full(on, x, first + k, out, k);
      return;
    case CovarianceForm::Kind::tied:
      return tied(on, x, first, count, out);
    case CovarianceForm::Kind::diag:
    case CovarianceForm::Kind::spherical:
      return diagonal(x, first, count, out);
    case CovarianceForm::Kind::lowrank:
      for (std::size_t k = 0; k < count; ++k) low_rank(on, x, first + k, out, k);
      return;
  }
}

template <class T>
void GaussianDensities<T>::full(const Backend& on, MatrixView<const T> x, std::size_t k, MatrixView<double> out,
                                std::size_t column) const {
  const Lease<std::uint32_t> all(x.rows);
  std::iota(all.data(), all.data() + x.rows, 0u);
  full_of_some(on, {x, {all.data(), x.rows}}, whiten_[k], k, out, column);
}

template <class T>
void GaussianDensities<T>::full_of_some(const Backend& on, const SomeRows& some, const LowerPanels<T>& whiten,
                                        std::size_t k, MatrixView<double> out, std::size_t column) const {
  const std::span<const std::uint32_t> rows = some.rows;
  const std::size_t h = whiten.size, n = rows.size();
  if (n == 0) return;
  const Lease<T> centered(n * h), white(n * h);
  const T* const mean = &means_(k, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const T* const row = some.x.row(rows[i]);
    for (std::size_t j = 0; j < h; ++j) centered.data()[i * h + j] = row[j] - mean[j];
  }
  on.multiply_lower(MatrixView<const T>{centered.data(), n, h, h}, whiten, MatrixView<T>{white.data(), n, h, h});
  for (std::size_t i = 0; i < n; ++i)
    out(rows[i], column) = constants_[k] - 0.5 * squared_length(white.data() + i * h, h);
}

// Whitened once for all components.
template <class T>
void GaussianDensities<T>::tied(const Backend& on, MatrixView<const T> x, std::size_t first, std::size_t count,
                                MatrixView<double> out) const {
  const std::size_t d = inputs_;
  const Lease<T> centered(x.rows * d), white(x.rows * d);
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t j = 0; j < d; ++j) centered.data()[i * d + j] = x(i, j) - origin_[j];
  on.multiply_lower(MatrixView<const T>{centered.data(), x.rows, d, d}, whiten_[0],
                    MatrixView<T>{white.data(), x.rows, d, d});
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t k = 0; k < count; ++k)
      out(i, k) = constants_[first + k] - 0.5 * squared_distance(white.data() + i * d, &whitened_(first + k, 0), d);
}

template <class T>
void GaussianDensities<T>::diagonal(MatrixView<const T> x, std::size_t first, std::size_t count,
                                    MatrixView<double> out) const {
  const MatrixView<double> squares{out.data, out.rows, count, out.stride};
  diagonal_squares(x, diagonal_, first, squares);
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t k = 0; k < count; ++k) out(i, k) = constants_[first + k] - 0.5 * squares(i, k);
}

template <class T>
void GaussianDensities<T>::low_rank(const Backend& on, MatrixView<const T> x, std::size_t k, MatrixView<double> out,
                                    std::size_t column) const {
  const std::size_t d = inputs_, rank = form_.rank;
  const Lease<double> scaled(x.rows * d), along(x.rows * rank);
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t j = 0; j < d; ++j)
      scaled.data()[i * d + j] = (double(x(i, j)) - wide_means_(k, j)) * wide_factors_(k, j);
  on.multiply(MatrixView<const double>{scaled.data(), x.rows, d, d}, directions_[k].view(), 0.0,
              MatrixView<double>{along.data(), x.rows, rank, rank});
  for (std::size_t i = 0; i < x.rows; ++i) {
    const double all = squared_length(scaled.data() + i * d, d),
                 explained = squared_length(along.data() + i * rank, rank);
    out(i, column) = constants_[k] - 0.5 * std::max(0.0, all - explained);
  }
}

template class GaussianDensities<float>;
template class GaussianDensities<double>;

}  // namespace bochner
