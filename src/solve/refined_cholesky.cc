// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "solve/refined_cholesky.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/pieces.h"
#include "solve/fixed_order.h"

namespace bochner {

namespace {

constexpr float kLeastPivot = 1e-4f;     // relative to the largest on the diagonal: float's digits suffice down to it
constexpr double kLeastGain = 4;         // a correction must make the remainder this many times smaller
constexpr std::size_t kRightSides = 16;  // columns
constexpr std::size_t kPieceValues = 1 << 16;

std::vector<double> column_norms(MatrixView<const double> m) {
  std::vector<double> norms(m.cols, 0.0);
  for (std::size_t i = 0; i < m.rows; ++i)
    for (std::size_t k = 0; k < m.cols; ++k) norms[k] += m(i, k) * m(i, k);
  for (double& norm : norms) norm = std::sqrt(norm);
  return norms;
}

MatrixView<double> columns(MatrixView<double> m, std::size_t first, std::size_t count) {
  return {m.data + first, m.rows, count, m.stride};
}

}  // namespace

RefinedCholesky::RefinedCholesky(TiledSymmetric<double> a, double shift, double left_over, Threads& threads)
    : a_(std::move(a)), left_over_(left_over) {
  for (std::size_t i = 0; i < a_.size(); ++i) a_.at(i, i) += shift;
  if (!factor_in_float(threads)) exact_.emplace(std::move(a_), 0.0, threads, Cholesky::Arithmetic::same_bits);
}

bool RefinedCholesky::factor_in_float(Threads& threads) {
  double most = 0;
  for (std::size_t i = 0; i < a_.size(); ++i) most = std::max(most, a_.at(i, i));
  if (!(most > 0) || !std::isfinite(most)) return false;
  scale_ = std::ldexp(1.0, -std::ilogb(most));
  rough_ = TiledSymmetric<float>(a_.size(), a_.tile(), threads);
  each_in_pieces(threads, a_.values().size(), kPieceValues,
                 [&](std::size_t i) { rough_.values()[i] = float(scale_ * a_.values()[i]); });
  return !fixed_order::factor(rough_, threads, kLeastPivot);
}

void RefinedCholesky::solve(MatrixView<double> b, Threads& threads) {
  if (!exact_) {
    Matrix<double> x(b.rows, b.cols);
    const std::size_t groups = (b.cols + kRightSides - 1) / kRightSides;
    std::vector<char> solved(groups, 0);
    threads.run(groups, [&](std::size_t group, int) {
      const std::size_t first = group * kRightSides, count = std::min(kRightSides, b.cols - first);
      solved[group] = refine(columns(b, first, count), columns(x.view(), first, count), threads);
    });
    if (std::find(solved.begin(), solved.end(), char(0)) == solved.end()) {
      for (std::size_t i = 0; i < b.rows; ++i) std::copy_n(&x(i, 0), b.cols, b.row(i));
      return;
    }
    rough_ = {};
    exact_.emplace(std::move(a_), 0.0, threads, Cholesky::Arithmetic::same_bits);
  }
  exact_->solve(b, threads);
}

// Each correction makes what is left over smaller by about the same factor: the last one is not looked at where that
// tells that it suffices.
bool RefinedCholesky::refine(MatrixView<const double> b, MatrixView<double> x, Threads& threads) const {
  const std::vector<double> wanted = column_norms(b);
  const auto suffices = [&](std::size_t k, double norm) { return norm <= left_over_ * wanted[k]; };
  std::vector<double> norms = wanted;
  Matrix<double> left(b.rows, b.cols);
  for (std::size_t i = 0; i < b.rows; ++i) std::copy_n(b.row(i), b.cols, &left(i, 0));
  for (;;) {
    correct(left, norms, x);
    left = remainder(b, x, threads);
    const std::vector<double> before = std::exchange(norms, column_norms(left.view()));
    bool done = true, next_is_last = true;
    for (std::size_t k = 0; k < b.cols; ++k) {
      if (suffices(k, norms[k])) continue;
      if (!(norms[k] * kLeastGain <= before[k])) return false;
      done = false;
      next_is_last = next_is_last && suffices(k, norms[k] / before[k] * norms[k]);
    }
    if (done) return true;
    if (next_is_last) {
      correct(left, norms, x);
      return true;
    }
  }
}

// x += (a + shift I)^-1 left, roughly. Columns are divided by their norms, so that float holds them.
void RefinedCholesky::correct(const Matrix<double>& left, const std::vector<double>& norms,
                              MatrixView<double> x) const {
  Matrix<float> rough(left.rows(), left.cols());
  for (std::size_t i = 0; i < left.rows(); ++i)
    for (std::size_t k = 0; k < left.cols(); ++k) rough(i, k) = norms[k] > 0 ? float(left(i, k) / norms[k]) : 0.0f;
  fixed_order::solve(rough_, rough.view());
  for (std::size_t i = 0; i < left.rows(); ++i)
    for (std::size_t k = 0; k < left.cols(); ++k) x(i, k) += scale_ * norms[k] * double(rough(i, k));
}

// b - (a + shift I) x
Matrix<double> RefinedCholesky::remainder(MatrixView<const double> b, MatrixView<const double> x,
                                          Threads& threads) const {
  Matrix<double> left(b.rows, b.cols);
  const auto rows = [&](auto m, std::size_t I) { return m.slice(I * a_.tile(), a_.extent(I)); };
  threads.run(a_.tiles_per_side(), [&](std::size_t I, int) {
    const MatrixView<double> mine = rows(left.view(), I);
    for (std::size_t i = 0; i < mine.rows; ++i) std::copy_n(rows(b, I).row(i), b.cols, mine.row(i));
    for (std::size_t J = 0; J <= I; ++J) fixed_order::subtract_row_product(a_.block(I, J), rows(x, J), mine);
    for (std::size_t J = I + 1; J < a_.tiles_per_side(); ++J)
      fixed_order::subtract_product(a_.block(J, I), rows(x, J), mine);
  });
  return left;
}

}  // namespace bochner
