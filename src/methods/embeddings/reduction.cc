// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/embeddings/reduction.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/lease.h"
#include "base/pieces.h"
#include "kernels/law.h"
#include "random/draw.h"
#include "solve/dense.h"

namespace bochner {

namespace {

constexpr std::size_t kPieceRows = 32, kSliceRows = 1024;
constexpr double kRidge = 1e-11;  // share of the diagonal, which is 1

// gradient(j, :) += 2 sum_l pairs(j, l) grad k(x_j, x_l).
void add_pair_gradients(const KernelSlope& kernel, MatrixView<const double> x, const Matrix<double>& k,
                        const Matrix<double>& pairs, MatrixView<double> gradient) {
  const std::size_t n = x.rows, d = x.cols;
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t l = 0; l < n; ++l) {
      if (l == j) continue;
      if (kernel.gaussian())
        for (std::size_t i = 0; i < d; ++i) gradient(j, i) -= 2 * pairs(j, l) * k(j, l) * (x(j, i) - x(l, i));
      else
        kernel.add_gradient({x.row(j), d}, {x.row(l), d}, 2 * pairs(j, l), {gradient.row(j), d});
    }
}

// c = a b on all threads, shared out by rows.
void multiply_on(const Workers& on, MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c) {
  in_pieces(on.threads, a.rows, kPieceRows, [&](std::size_t begin, std::size_t count) {
    on.ops.multiply(a.slice(begin, count), b, 0.0, c.slice(begin, count));
  });
}

}  // namespace

Matrix<double> scaled(MatrixView<const double> points, const Kernel& kernel) {
  Matrix<double> x(points.rows, points.cols);
  for (std::size_t i = 0; i < points.rows; ++i)
    for (std::size_t j = 0; j < points.cols; ++j) x(i, j) = points(i, j) / kernel.length_scale(j);
  return x;
}

Matrix<double> kernel_matrix(const KernelSlope& kernel, MatrixView<const double> x) {
  Matrix<double> k(x.rows, x.rows);
  for (std::size_t i = 0; i < x.rows; ++i) {
    k(i, i) = 1;
    for (std::size_t j = 0; j < i; ++j) k(i, j) = k(j, i) = kernel.value({x.row(i), x.cols}, {x.row(j), x.cols});
  }
  return k;
}

Matrix<double> free_weights(const Matrix<double>& k, Matrix<double> b) {
  double size = 0;
  for (std::size_t i = 0; i < k.rows(); ++i) size = std::max(size, k(i, i));
  for (double ridge = kRidge * std::max(size, 1e-300);; ridge *= 100) {
    Matrix<double> l = k;
    for (std::size_t i = 0; i < k.rows(); ++i) l(i, i) += ridge;
    if (factor_lower(l.view()) != 0) continue;
    solve_lower(l.view(), b.view());
    solve_lower_transposed(l.view(), b.view());
    return b;
  }
}

Projected project_weights(const Matrix<double>& k, std::span<const double> b, ReduceOptions::Weights weights) {
  if (weights != ReduceOptions::Weights::free)
    return constrained_weights(k, b, weights == ReduceOptions::Weights::probabilities);
  const std::size_t n = b.size();
  Matrix<double> column(n, 1);
  std::copy(b.begin(), b.end(), column.data());
  const Matrix<double> beta = free_weights(k, std::move(column));
  Projected found{{beta.data(), beta.data() + n}, 0};
  for (std::size_t i = 0; i < n; ++i) found.captured += b[i] * found.beta[i];
  return found;
}

// d/dx_j = -2 beta_j (grad mu(x_j) - sum_l beta_l grad k(x_j, x_l))
double ExactObjective::operator()(std::span<const double> x, std::span<double> gradient) {
  const std::size_t d = mu_.inputs(), n = x.size() / d;
  const MatrixView<const double> points{x.data(), n, d, d};
  const MatrixView<double> slopes{gradient.data(), n, d, d};
  const Matrix<double> k = kernel_matrix(mu_.kernel(), points);
  std::vector<double> b(n);
  mu_.evaluate(points, b, slopes);
  Projected best = project_weights(k, b, weights_);
  beta_ = std::move(best.beta);
  Matrix<double> pairs(n, n);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < d; ++i) slopes(j, i) *= -2 * beta_[j];
    for (std::size_t l = 0; l < n; ++l) pairs(j, l) = beta_[j] * beta_[l];
  }
  add_pair_gradients(mu_.kernel(), points, k, pairs, slopes);
  return -best.captured;
}

double SharedObjective::operator()(std::span<const double> x, std::span<double> gradient) {
  const std::size_t d = mus_.inputs(), n = x.size() / d, functions = mus_.functions();
  const MatrixView<const double> points{x.data(), n, d, d};
  const MatrixView<double> slopes{gradient.data(), n, d, d};
  const Matrix<double> k = kernel_matrix(mus_.kernel(), points);
  Matrix<double> b(n, functions);
  mus_.evaluate(points, b.view());
  beta_ = free_weights(k, b);
  mus_.gradients(points, beta_.view(), slopes);
  Matrix<double> pairs(n, n);
  double captured = 0;
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t f = 0; f < functions; ++f) captured += b(j, f) * beta_(j, f);
    for (std::size_t i = 0; i < d; ++i) slopes(j, i) *= -2;
    for (std::size_t l = 0; l < n; ++l)
      for (std::size_t f = 0; f < functions; ++f) pairs(j, l) += beta_(j, f) * beta_(l, f);
  }
  add_pair_gradients(mus_.kernel(), points, k, pairs, slopes);
  return -captured;
}

FeatureSpace::FeatureSpace(const Workers& on, const KernelSlope& kernel, std::size_t inputs, std::size_t features,
                           std::uint64_t seed, bool shifted)
    : on_(on), shifted_(shifted), omega_(shifted ? features : features / 2, inputs) {
  const std::size_t m = omega_.rows();
  const std::span<double> all(omega_.data(), m * inputs);
  if (!shifted && has_radial_law(kernel.kernel()))
    draw_orthogonal_frequencies(kernel.kernel(), seed, m, inputs, all);
  else
    for (std::size_t k = 0; k < m; ++k) draw_frequency(kernel.kernel(), seed, k, all.subspan(k * inputs, inputs));
  std::vector<double> phase, turned;
  for (std::size_t k = 0; shifted && k < m; ++k) {
    phase.push_back(2 * std::numbers::pi * uniform(seed, Draw::phase, k));
    turned.push_back(phase.back() - 0.5 * std::numbers::pi);
  }
  const double scale = std::sqrt((shifted ? 2.0 : 1.0) / double(m));
  weights_ = pack_fourier<double>(all, inputs, phase, scale);
  if (shifted) sines_ = pack_fourier<double>(all, inputs, turned, scale);
}

void FeatureSpace::map(MatrixView<const double> x, MatrixView<double> z) const {
  in_pieces(on_.threads, x.rows, kPieceRows, [&](std::size_t begin, std::size_t count) {
    on_.ops.fourier(RowBlock<double>::dense(x.slice(begin, count)), weights_, z.slice(begin, count));
  });
}

void FeatureSpace::pull_back(MatrixView<const double> x, MatrixView<const double> z, std::span<const double> residual,
                             MatrixView<double> out) const {
  const std::size_t m = omega_.rows();
  in_pieces(on_.threads, x.rows, kPieceRows, [&](std::size_t begin, std::size_t count) {
    Matrix<double> c(count, m);
    if (shifted_) on_.ops.fourier(RowBlock<double>::dense(x.slice(begin, count)), sines_, c.view());
    for (std::size_t i = 0; i < count; ++i) {
      const double* const row = z.row(begin + i);
      for (std::size_t k = 0; k < m; ++k)
        c(i, k) = shifted_ ? -residual[k] * c(i, k) : residual[m + k] * row[k] - residual[k] * row[m + k];
    }
    on_.ops.multiply(c.view(), omega_.view(), 0.0, out.slice(begin, count));
  });
}

std::vector<double> FeatureSpace::embed(MatrixView<const double> x, std::span<const double> alpha) const {
  const std::size_t slices = (x.rows + kSliceRows - 1) / kSliceRows, width = features();
  Matrix<double> sums(slices, width);
  on_.threads.run(slices, [&](std::size_t s, int) {
    const std::size_t begin = s * kSliceRows, end = std::min(x.rows, begin + kSliceRows);
    const Lease<double> memory(kPieceRows * width);
    for (std::size_t i = begin; i < end; i += kPieceRows) {
      const std::size_t count = std::min(kPieceRows, end - i);
      const MatrixView<double> z{memory.data(), count, width, width};
      on_.ops.fourier(RowBlock<double>::dense(x.slice(i, count)), weights_, z);
      for (std::size_t r = 0; r < count; ++r)
        for (std::size_t k = 0; k < width; ++k) sums(s, k) += alpha[i + r] * z(r, k);
    }
  });
  std::vector<double> total(width);
  for (std::size_t s = 0; s < slices; ++s)
    for (std::size_t k = 0; k < width; ++k) total[k] += sums(s, k);
  return total;
}

Projected FeatureObjective::project(MatrixView<const double> x, double ridge) const {
  const std::size_t n = x.rows, width = space_.features();
  Matrix<double> z(n, width), across(width, n), k(n, n);
  space_.map(x, z.view());
  std::vector<double> b(n);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t c = 0; c < width; ++c) {
      across(c, j) = z(j, c);
      b[j] += z(j, c) * target_[c];
    }
  multiply_on(space_.on(), z.view(), across.view(), k.view());
  for (std::size_t j = 0; j < n; ++j) k(j, j) += ridge;
  return project_weights(std::move(k), b);
}

double FeatureObjective::operator()(std::span<const double> x, std::span<double> gradient) {
  const std::size_t d = space_.inputs(), n = x.size() / d;
  Projected best = project({x.data(), n, d, d}, 0);
  beta_ = std::move(best.beta);
  fixed_weights(x, beta_, gradient);  // the weights are the best: what they would change adds nothing to the gradient
  return -best.captured;
}

double FeatureObjective::fixed_weights(std::span<const double> x, std::span<const double> beta,
                                       std::span<double> gradient) const {
  const std::size_t n = beta.size(), d = x.size() / n, width = space_.features();
  const MatrixView<const double> points{x.data(), n, d, d};
  Matrix<double> z(n, width);
  space_.map(points, z.view());
  std::vector<double> residual = target_;
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t c = 0; c < width; ++c) residual[c] -= beta[j] * z(j, c);
  const MatrixView<double> slopes{gradient.data(), n, d, d};
  space_.pull_back(points, z.view(), residual, slopes);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < d; ++i) slopes(j, i) *= -2 * beta[j];
  double sum = 0;
  for (const double r : residual) sum += r * r;
  return sum;
}

double FeatureObjective::squared_norm() const {
  double sum = 0;
  for (const double t : target_) sum += t * t;
  return sum;
}

}  // namespace bochner
