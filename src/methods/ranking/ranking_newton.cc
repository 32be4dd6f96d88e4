// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/ranking/ranking_newton.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "folds/gram.h"
#include "learn/newton/line_roots.h"
#include "solve/fixed_order.h"
#include "solve/pcg.h"

namespace bochner {

namespace {

constexpr std::size_t kRowsOfFeatures = 4;  // rows of the groups that make the preconditioner, for each feature

double dot(const double* a, const double* b, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// A row as a column, or a column as a row.
Matrix<double> turned(const Matrix<double>& a) {
  Matrix<double> b(a.cols(), a.rows());
  std::copy_n(a.data(), a.rows() * a.cols(), b.data());
  return b;
}

std::vector<double> column_of(const Matrix<double>& a) { return {a.data(), a.data() + a.rows() * a.cols()}; }

// The first groups with rows enough, each row about the mean of its group times the root of 4 / m, and that sum of
// outer products over all groups.
Matrix<double> scatter_of(const DenseDesign& z, const PairLoss& loss) {
  const std::size_t D = z.features();
  std::size_t groups = 0, count = 0;
  for (; groups < loss.groups() && count < kRowsOfFeatures * D; ++groups) count += loss.rows(groups).size();
  std::vector<std::size_t> rows;
  for (std::size_t g = 0; g < groups; ++g) rows.insert(rows.end(), loss.rows(g).begin(), loss.rows(g).end());
  std::sort(rows.begin(), rows.end());
  Matrix<double> some(rows.size(), D);
  z.each_row(rows, [&](std::size_t at, std::span<const double> row) { std::copy_n(row.data(), D, &some(at, 0)); });
  std::vector<double> mean(D);
  for (std::size_t g = 0; g < groups; ++g) {
    const std::vector<std::size_t>& own = loss.rows(g);
    const double m = double(own.size());
    const auto place = [&](std::size_t row) {
      return std::size_t(std::lower_bound(rows.begin(), rows.end(), row) - rows.begin());
    };
    std::fill(mean.begin(), mean.end(), 0.0);
    for (const std::size_t row : own)
      for (std::size_t j = 0; j < D; ++j) mean[j] += some(place(row), j) / m;
    for (const std::size_t row : own) {
      double* const values = &some(place(row), 0);
      for (std::size_t j = 0; j < D; ++j) values[j] = (values[j] - mean[j]) * std::sqrt(4 / (m * double(groups)));
    }
  }
  return fixed_order::transposed_product(z.threads(), some, some);
}

}  // namespace

RankingNewton::RankingNewton(const DenseDesign& z, const PairLoss& loss)
    : z_(z), loss_(loss), scatter_(scatter_of(z, loss)), w_(1, z.length()), u_(z.rows()) {}

std::vector<double> RankingNewton::weights() const { return {w_.data(), w_.data() + z_.features()}; }

// -H^-1 gradient
Matrix<double> RankingNewton::step(double lambda, const Matrix<double>& downhill) const {
  constexpr double kForcing = 0.1;
  constexpr std::size_t kMostProducts = 100;
  const std::size_t length = downhill.cols();
  std::vector<double> change(z_.rows());
  PcgProblem problem;
  problem.multiply = [&](const Matrix<double>& p, const std::vector<std::size_t>&) {
    const std::vector<double> q = column_of(z_.scores(turned(p)));
    Matrix<double> r(z_.rows(), 1);
    loss_.product(u_, q, {r.data(), r.rows()});
    Matrix<double> sum = turned(z_.combination(r));
    for (std::size_t j = 0; j < length; ++j) sum(j, 0) += lambda * p(j, 0);
    return sum;
  };
  problem.precondition = [&](Matrix<double>& r, const std::vector<std::size_t>&) {
    Matrix<double> x(z_.features(), 1);
    std::copy_n(r.data(), z_.features(), x.data());
    factor_->solve(x.view());
    std::copy_n(x.data(), z_.features(), r.data());
  };
  double first = 0;
  problem.solved = [&](const PcgStep& at, std::size_t k) {
    if (at.iteration == 0) first = at.gap[k];
    return at.gap[k] <= kForcing * kForcing * first;
  };
  return turned(pcg(turned(downhill), Matrix<double>(length, 1), problem, kMostProducts).x);
}

// Where the objective along the direction is least.
double RankingNewton::length(double lambda, const Matrix<double>& direction, const std::vector<double>& change) const {
  const std::size_t length = w_.cols();
  const double linear = lambda * dot(w_.data(), direction.data(), length);
  const double square = lambda * dot(direction.data(), direction.data(), length);
  std::vector<double> there(u_.size()), downhill(u_.size());
  const std::size_t only = 0;
  return line_roots(
      [&](const std::vector<double>& t) {
        for (std::size_t i = 0; i < u_.size(); ++i) there[i] = u_[i] + t[0] * change[i];
        loss_.evaluate(there, downhill);
        return std::vector<double>{linear + t[0] * square - dot(downhill.data(), change.data(), change.size())};
      },
      1, {&only, 1})[0];
}

bool RankingNewton::solve(double lambda, double tolerance, int most_steps) {
  const std::size_t D = z_.features();
  if (lambda != factored_) {
    TiledSymmetric<double> hessian(D, GramFold::tile_for(D));
    for (std::size_t t = 0; t < hessian.tile_count(); ++t) {
      const auto [I, J] = tile_index(t);
      const MatrixView<double> tile = hessian.block(I, J);
      for (std::size_t i = 0; i < tile.rows; ++i)
        for (std::size_t j = 0; j < tile.cols; ++j)
          tile(i, j) = scatter_(I * hessian.tile() + i, J * hessian.tile() + j);
    }
    factor_.emplace(std::move(hessian), lambda, z_.threads(), Cholesky::Arithmetic::same_bits);
    if (factor_->failed_column())
      fail(Error::Kind::data, "ranking: the equations are not positive definite; raise lambda (now {:g})", lambda);
    factored_ = lambda;
  }
  Matrix<double> a(z_.rows(), 1);
  for (int steps = 0; steps < most_steps; ++steps) {
    const double loss = loss_.evaluate(u_, {a.data(), a.rows()});
    objective_ = loss + lambda / 2 * dot(w_.data(), w_.data(), w_.cols());
    Matrix<double> downhill = z_.combination(a);
    for (std::size_t j = 0; j < w_.cols(); ++j) downhill(0, j) -= lambda * w_(0, j);
    // The objective is strongly convex with modulus lambda; H^-1 tells more of what is left than 1 / lambda does.
    const Matrix<double> direction = step(lambda, downhill);
    const double left = dot(downhill.data(), direction.data(), w_.cols()) / 2;
    if (!(left > tolerance * objective_)) return true;
    const std::vector<double> change = column_of(z_.scores(direction));
    const double t = length(lambda, direction, change);
    if (!(t > 0)) return true;
    for (std::size_t j = 0; j < w_.cols(); ++j) w_(0, j) += t * direction(0, j);
    for (std::size_t i = 0; i < u_.size(); ++i) u_[i] += t * change[i];
  }
  return false;
}

}  // namespace bochner
