// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/newton/hessian_factor.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/require.h"
#include "folds/gram.h"
#include "random/draw.h"
#include "run/compute.h"
#include "solve/dense.h"
#include "solve/rough_gram.h"

namespace bochner {

namespace {

// The rows that go into one bucket, with their factors.
struct Bucket {
  std::vector<std::size_t> rows;
  std::vector<double> factor;
};

std::size_t used_rows(std::span<const double> d) {
  return std::size_t(std::count_if(d.begin(), d.end(), [](double weight) { return weight > 0; }));
}

std::vector<Bucket> share_out(std::span<const double> d, std::size_t most, std::uint64_t seed) {
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < d.size(); ++i)
    if (d[i] > 0) used.push_back(i);
  std::vector<Bucket> buckets(std::min(used.size(), most));
  for (std::size_t s = 0; s < used.size(); ++s) {
    const std::size_t i = used[s];
    const std::uint64_t draw = bits(seed, Draw::sketch, i);
    Bucket& bucket = buckets[used.size() <= most ? s : (draw >> 32) * most >> 32];
    bucket.rows.push_back(i);
    bucket.factor.push_back(draw & 1 ? std::sqrt(d[i]) : -std::sqrt(d[i]));
  }
  return buckets;
}

TiledSymmetric<double> sketched_gram(const FeatureRows& z, std::span<const double> d, std::uint64_t seed,
                                     Threads& threads) {
  const std::size_t width = z.width();
  const std::vector<Bucket> buckets = share_out(d, HessianFactor::sketch_rows(width), seed);
  Matrix<float> sketch(buckets.size(), width);
  threads.run(buckets.size(),
              [&](std::size_t b, int) { z.combine(buckets[b].rows, buckets[b].factor, &sketch(b, 0)); });

  TiledSymmetric<double> gram(width, GramFold::tile_for(width));
  // Buckets of one row each give the Hessian itself, to which a float is worth its time.
  if (!buckets.empty())
    RoughGram(buckets.size() < used_rows(d)).add(workers_on(threads), std::as_const(sketch).view(), gram);
  return gram;
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

HessianFactor::HessianFactor(const FeatureRows& z, std::span<const double> d, double intercept_shift,
                             std::uint64_t seed, Threads& threads)
    : width_(z.width()),
      factor_(factor_of(sketched_gram(z, d, seed, threads), z.intercept(), intercept_shift, threads)) {}

void HessianFactor::solve(Matrix<double>& r) const {
  Matrix<double> x(width_, r.rows());
  for (std::size_t k = 0; k < r.rows(); ++k)
    for (std::size_t j = 0; j < width_; ++j) x(j, k) = r(k, j);
  factor_.solve(x.view());
  for (std::size_t k = 0; k < r.rows(); ++k)
    for (std::size_t j = 0; j < width_; ++j) r(k, j) = x(j, k);
}

FewRowsFactor::FewRowsFactor(const FeatureRows& z, std::span<const std::size_t> rows, std::span<const double> d,
                             std::span<const double> penalty)
    : y_(rows.size(), z.width()), factor_(rows.size(), rows.size()), root_(z.width()) {
  for (std::size_t j = 0; j < root_.size(); ++j) root_[j] = 1 / std::sqrt(penalty[j]);
  for (std::size_t s = 0; s < rows.size(); ++s) {
    z.copy_row(rows[s], &y_(s, 0));
    for (std::size_t j = 0; j < root_.size(); ++j) y_(s, j) *= root_[j];
  }
  if (rows.empty()) return;
  outer_product(y_.view(), factor_.view());
  for (std::size_t s = 0; s < rows.size(); ++s) factor_(s, s) += 1 / d[s];
  if (factor_lower(factor_.view()) != 0) y_ = Matrix<double>(0, root_.size());  // no better than the penalty alone
}

void FewRowsFactor::solve(double* r) const {
  const std::size_t s = y_.rows(), width = root_.size();
  for (std::size_t j = 0; j < width; ++j) r[j] *= root_[j];
  std::vector<double> t(s);
  for (std::size_t i = 0; i < s; ++i)
    for (std::size_t j = 0; j < width; ++j) t[i] += y_(i, j) * r[j];
  const MatrixView<double> column{t.data(), s, 1, 1};
  if (s > 0) {
    solve_lower(factor_.view(), column);
    solve_lower_transposed(factor_.view(), column);
  }
  for (std::size_t i = 0; i < s; ++i)
    for (std::size_t j = 0; j < width; ++j) r[j] -= y_(i, j) * t[i];
  for (std::size_t j = 0; j < width; ++j) r[j] *= root_[j];
}

}  // namespace bochner
