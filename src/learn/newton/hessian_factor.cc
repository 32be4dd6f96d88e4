// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/newton/hessian_factor.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/require.h"
#include "learn/sketched_gram.h"
#include "solve/dense.h"

namespace bochner {

namespace {

TiledSymmetric<double> sketched_hessian(const DenseDesign& z, std::span<const double> d, std::uint64_t seed) {
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < d.size(); ++i)
    if (d[i] > 0) used.push_back(i);
  const std::size_t most = HessianFactor::sketch_rows(z.features() + z.intercept());
  const bool sketched = used.size() > most;
  const CountSketch::Places places = sketched
                                         ? CountSketch::Places(z.store().stream().workers(), d.size(), most, seed, true)
                                         : CountSketch::Places(d.size(), used);
  // Buckets of one row each give the Hessian itself, to which a float is worth its time.
  return sketched_gram(z.store(), places, {.weights = d, .ones = z.intercept(), .some = true},
                       std::numeric_limits<std::size_t>::max(),
                       sketched ? RoughGram::Numbers::bfloat16 : RoughGram::Numbers::floats);
}

// Products in float may leave eigenvalues a little below zero where d is large: then the shift grows.
Cholesky factor_of(TiledSymmetric<double> gram, bool intercept, double intercept_shift, Threads& threads) {
  double largest = 0;
  for (std::size_t i = 0; i < gram.size(); ++i) largest = std::max(largest, gram.at(i, i));
  for (double shift = 1;; shift = std::max(10 * shift, 1e-6 * largest)) {
    if (!std::isfinite(shift) || !std::isfinite(largest))
      fail(Error::Kind::data, "solve: the Hessian has entries that are no numbers; use a smaller C");
    TiledSymmetric<double> a = gram;
    if (intercept) a.at(a.size() - 1, a.size() - 1) += intercept_shift - 1;
    Cholesky factor(std::move(a), shift, threads);
    if (!factor.failed_column()) return factor;
  }
}

}  // namespace

HessianFactor::HessianFactor(const DenseDesign& z, std::span<const double> d, double intercept_shift,
                             std::uint64_t seed)
    : z_(z), factor_(factor_of(sketched_hessian(z, d, seed), z.intercept(), intercept_shift, z.threads())) {}

void HessianFactor::solve(Matrix<double>& r) const {
  const std::size_t D = z_.features();
  Matrix<double> x(D + z_.intercept(), r.rows());
  for (std::size_t k = 0; k < r.rows(); ++k) {
    for (std::size_t j = 0; j < D; ++j) x(j, k) = r(k, j);
    if (z_.intercept()) x(D, k) = r(k, z_.intercept_at());
  }
  factor_.solve(x.view(), z_.threads());
  for (std::size_t k = 0; k < r.rows(); ++k) {
    for (std::size_t j = 0; j < D; ++j) r(k, j) = x(j, k);
    if (z_.intercept()) r(k, z_.intercept_at()) = x(D, k);
  }
}

FewRowsFactor::FewRowsFactor(const Design& design, Matrix<double> z, std::span<const double> d,
                             double intercept_penalty)
    : features_(design.features()),
      intercept_at_(design.intercept_at()),
      y_(std::move(z)),
      factor_(d.size(), d.size()),
      root_(y_.cols(), 1.0) {
  if (y_.cols() > features_) {
    root_[features_] = 1 / std::sqrt(intercept_penalty);
    for (std::size_t i = 0; i < y_.rows(); ++i) y_(i, features_) *= root_[features_];
  }
  if (d.empty()) return;
  outer_product(y_.view(), factor_.view());
  for (std::size_t s = 0; s < d.size(); ++s) factor_(s, s) += 1 / d[s];
  if (factor_lower(factor_.view()) != 0) y_ = Matrix<double>(0, root_.size());  // no better than the penalty alone
}

void FewRowsFactor::solve(double* r) const {
  const std::size_t s = y_.rows(), size = root_.size();
  std::vector<double> x(r, r + features_), t(s);
  if (size > features_) x.push_back(r[intercept_at_] * root_[features_]);
  for (std::size_t i = 0; i < s; ++i)
    for (std::size_t j = 0; j < size; ++j) t[i] += y_(i, j) * x[j];
  const MatrixView<double> column{t.data(), s, 1, 1};
  if (s > 0) {
    solve_lower(factor_.view(), column);
    solve_lower_transposed(factor_.view(), column);
  }
  for (std::size_t i = 0; i < s; ++i)
    for (std::size_t j = 0; j < size; ++j) x[j] -= y_(i, j) * t[i];
  std::copy_n(x.begin(), features_, r);
  if (size > features_) r[intercept_at_] = x[features_] * root_[features_];
}

}  // namespace bochner
