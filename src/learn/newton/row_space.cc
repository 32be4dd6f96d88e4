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

RowSpace::RowSpace(const DenseRows& z, Threads& threads) : z_(z), factor_(rows_of(z), rows_of(z)), pivots_(rows_of(z)) {
  const std::size_t n = rows_of(z);
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
  coordinates_ = Matrix<double>(n, std::max<std::size_t>(1, rank_));
  for (std::size_t i = 0; i < n && rank_ > 0; ++i)
    std::copy_n(&factor_(i, 0), std::min(i + 1, rank_), &coordinates_(pivots_[i], 0));
}

std::unique_ptr<Rows> RowSpace::rows(const Schema& schema) const {
  return std::visit(
      [&](const auto& z) {
        auto block = RowBlock<double>::dense(coordinates_.view());
        block.targets = z.targets;
        block.target_count = z.target_count;
        block.weights = z.weights;
        Schema inside;
        inside.inputs = block.cols;
        inside.targets = schema.targets;
        inside.task = schema.task;
        inside.labels = schema.labels;
        return memory_rows<double>(block, inside);
      },
      z_);
}

Coefficients RowSpace::expand(const Coefficients& head, Threads& threads) const {
  if (rank_ == 0) return {Matrix<double>(features_of(z_), head.weights.cols()), head.intercept};
  Matrix<double> alpha = head.weights;
  const MatrixView<const double> corner{factor_.data(), rank_, rank_, factor_.cols()};
  solve_lower_transposed(corner, alpha.view());
  std::vector<std::size_t> chosen(pivots_.begin(), pivots_.begin() + std::ptrdiff_t(rank_));
  const ScaledRows basis(z_, std::move(chosen), std::vector<double>(rank_, 1.0), false, threads);
  return {basis.combination(alpha.view(), threads), head.intercept};
}

}  // namespace bochner
