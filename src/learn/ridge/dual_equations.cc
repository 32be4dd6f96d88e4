// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/ridge/dual_equations.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"

namespace bochner {

namespace {

constexpr double kLeastLeft = 1e-12;  // least share of a row that the others leave to itself

// sqrt(w) of the rows that weigh anything.
ScaledRows weighed_rows(const DenseRows& z, bool centred, Threads& threads) {
  std::vector<std::size_t> rows;
  std::vector<double> root;
  std::visit(
      [&](const auto& block) {
        for (std::size_t i = 0; i < block.rows; ++i)
          if (const double weight = weight_of(block.weights, i); weight > 0) {
            rows.push_back(i);
            root.push_back(std::sqrt(weight));
          }
      },
      z);
  require(!rows.empty(), "ridge: the weights of all rows are zero");
  return ScaledRows(z, std::move(rows), std::move(root), centred, threads);
}

}  // namespace

DualEquations::DualEquations(const DenseRows& z, const TargetCode& code, bool intercept, Threads& threads)
    : a_(weighed_rows(z, intercept, threads)),
      code_(code),
      intercept_(intercept),
      products_(a_.products(threads)),
      y_(a_.rows.size(), code.columns()),
      target_mean_(code.columns(), 0.0) {
  const std::size_t n = a_.rows.size(), outputs = code.columns();
  for (const double root : a_.root) weight_ += root * root;
  if (intercept)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < outputs; ++k) target_mean_[k] += a_.root[i] * a_.root[i] / weight_ * coded(i, k);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < outputs; ++k) y_(i, k) = a_.root[i] * (coded(i, k) - target_mean_[k]);
  if (!intercept) return;
  for (std::size_t i = 0; i < n; ++i) filled_ += products_.at(i, i) / double(n);
  if (!(filled_ > 0)) filled_ = weight_;
  threads.run(products_.tile_count(), [&](std::size_t t, int) {
    const auto [I, J] = tile_index(t);
    const MatrixView<double> tile = products_.block(I, J);
    const double *ui = &a_.root[I * products_.tile()], *uj = &a_.root[J * products_.tile()];
    for (std::size_t i = 0; i < tile.rows; ++i)
      for (std::size_t j = 0; j < tile.cols; ++j) tile(i, j) += filled_ / weight_ * ui[i] * uj[j];
  });
}

Cholesky DualEquations::factor(double lambda, Threads& threads) const {
  return Cholesky(products_, lambda * weight_, threads, Cholesky::Arithmetic::same_bits);
}

Matrix<double> DualEquations::alpha(const Cholesky& factor) const {
  Matrix<double> alpha = y_;
  factor.solve(alpha.view());
  return alpha;
}

Coefficients DualEquations::solve(const Cholesky& factor, Threads& threads) const {
  const Matrix<double> a = alpha(factor);
  Coefficients head{a_.combination(a.view(), threads), target_mean_};
  for (std::size_t j = 0; j < head.weights.rows(); ++j)
    for (std::size_t k = 0; k < head.weights.cols(); ++k) head.intercept[k] -= a_.mean[j] * head.weights(j, k);
  return head;
}

LeftOutScore DualEquations::score_left_out(double lambda, const Cholesky& factor, Threads& threads) const {
  const Matrix<double> a = alpha(factor);
  const double per_mean = intercept_ ? 1 / weight_ / (filled_ + lambda * weight_) : 0;
  std::vector<double> left = factor.inverse_diagonal(threads);
  for (std::size_t i = 0; i < left.size(); ++i)
    left[i] = std::max(left[i] - per_mean * a_.root[i] * a_.root[i], kLeastLeft * left[i]);
  const std::size_t middle = median_place(left);
  Matrix<double> with_row(a.rows(), 1);
  with_row(middle, 0) = 1;
  factor.solve(with_row.view());
  for (std::size_t i = 0; i < a.rows(); ++i) with_row(i, 0) -= per_mean * a_.root[i] * a_.root[middle];
  LeftOutScore found{Scorer(code_.task, code_.columns()),
                     shared_residuals(left, {with_row.data(), with_row.data() + a.rows()}, middle)};
  std::vector<double> row(code_.columns());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    const double root = a_.root[i];
    for (std::size_t k = 0; k < row.size(); ++k) {
      row[k] = coded(i, k) - a(i, k) / root / left[i];
      if (code_.task == Task::regression)
        row[k] = row[k] * code_.unit[k] + code_.center[k];
      else if (intercept_)
        row[k] = judged_score(row[k], coded(i, k), target_mean_[k], root * root, weight_);
    }
    found.scorer.add(row.data(), targets(i), root * root);
  }
  return found;
}

}  // namespace bochner
