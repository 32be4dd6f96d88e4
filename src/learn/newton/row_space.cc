// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/newton/row_space.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "learn/row_products.h"
#include "run/compute.h"
#include "solve/dense.h"

namespace bochner {

RowSpace::RowSpace(const FeatureRows& z, Threads& threads) : z_(z), factor_(z.rows(), z.rows()), pivots_(z.rows()) {
  const std::size_t n = z.rows();
  std::vector<std::size_t> all(n);
  std::iota(all.begin(), all.end(), std::size_t(0));
  const TiledSymmetric<double> products =
      ScaledRows(z, std::move(all), std::vector<double>(n, 1.0), false, threads).products(threads);
  double most = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) factor_(i, j) = factor_(j, i) = products.at(i, j);
  for (std::size_t i = 0; i < n; ++i) most = std::max(most, factor_(i, i));
  const double rounding = double(n) * std::numeric_limits<double>::epsilon() * most;
  rank_ = most > 0 ? pivoted_cholesky(factor_.view(), rounding, pivots_) : 0;
}

FeatureRows RowSpace::rows(bool intercept, Threads& threads) const {
  const std::size_t n = z_.rows(), width = std::max<std::size_t>(1, rank_);
  Matrix<double> coordinates(n, width);
  for (std::size_t i = 0; i < n && rank_ > 0; ++i)
    std::copy_n(&factor_(i, 0), std::min(i + 1, rank_), &coordinates(pivots_[i], 0));
  std::vector<double> weights;
  if (z_.weighted())
    for (std::size_t i = 0; i < n; ++i) weights.push_back(z_.weight(i));
  auto block = RowBlock<double>::dense(std::as_const(coordinates).view());
  block.targets = z_.targets(0);
  block.target_count = z_.target_count();
  block.weights = z_.weighted() ? weights.data() : nullptr;
  FeatureRows inside(width, intercept, n);
  inside.add(workers_on(threads), block);
  return inside;
}

Coefficients RowSpace::expand(const Coefficients& head, Threads& threads) const {
  if (rank_ == 0) return {Matrix<double>(z_.features(), head.weights.cols()), head.intercept};
  Matrix<double> alpha = head.weights;
  const MatrixView<const double> corner{factor_.data(), rank_, rank_, factor_.cols()};
  solve_lower_transposed(corner, alpha.view());
  std::vector<std::size_t> chosen(pivots_.begin(), pivots_.begin() + std::ptrdiff_t(rank_));
  const ScaledRows basis(z_, std::move(chosen), std::vector<double>(rank_, 1.0), false, threads);
  return {basis.combination(alpha.view(), threads), head.intercept};
}

}  // namespace bochner
