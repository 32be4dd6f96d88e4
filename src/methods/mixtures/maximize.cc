// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/mixtures/maximize.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/require.h"
#include "solve/dense.h"

namespace bochner {

namespace {

using Kind = CovarianceForm::Kind;
constexpr double kLeastWeight = 1e-12;  // a component has no rows below this share of their weight

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
}

// F = S B (I - B^T F_old + B^T S B)^-1,  P = diag(S - F B^T S), B = (F_old F_old^T + P_old)^-1 F_old.
void low_rank_step(const GaussianSums& sums, std::size_t k, const Gaussians& from, std::span<const double> floor,
                   Gaussians& to) {
  const std::size_t d = sums.inputs(), rank = from.form.rank;
  const Matrix<double>& B = sums.about().bases[k];
  const Matrix<double> SB = sums.along_basis(k);
  Matrix<double> M(rank, rank), F(d, rank);
  for (std::size_t a = 0; a < rank; ++a) M(a, a) = 1;
  transposed_multiply(-1, B.view(), from.matrices[k].view(), 1, M.view());
  transposed_multiply(1, B.view(), SB.view(), 1, M.view());
  for (std::size_t a = 0; a < rank; ++a)  // rounding
    for (std::size_t b = 0; b < a; ++b) M(a, b) = M(b, a) = (M(a, b) + M(b, a)) / 2;
  if (factor_lower(M.view()) != 0) return;  // not by more than rounding: what there was is kept
  std::copy_n(SB.data(), d * rank, F.data());
  solve_right_transposed(M.view(), F.view());
  for (std::size_t j = 0; j < d; ++j)  // F L^-1 from F: rows v with v L = f
    for (std::size_t a = rank; a-- > 0;) {
      for (std::size_t b = a + 1; b < rank; ++b) F(j, a) -= M(b, a) * F(j, b);
      F(j, a) /= M(a, a);
    }
  const std::vector<double> variances = sums.variances(k);
  for (std::size_t j = 0; j < d; ++j) {
    double explained = 0;
    for (std::size_t a = 0; a < rank; ++a) explained += F(j, a) * SB(j, a);
    to.variances(k, j) = std::max(floor[j], variances[j] - explained);
  }
  to.matrices[k] = std::move(F);
}

}  // namespace

Matrix<double> raised_to_floor(Matrix<double> S, std::span<const double> floor) {
  const std::size_t d = S.rows();
  std::vector<double> root(d);
  for (std::size_t j = 0; j < d; ++j) root[j] = std::sqrt(floor[j]);
  Matrix<double> scaled(d, d), above(d, d);
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j) {
      scaled(i, j) = S(i, j) / root[i] / root[j];
      above(i, j) = scaled(i, j) - double(i == j);
    }
  if (factor_lower(above.view()) == 0) return S;
  const Eigen eigen = largest_eigen(std::move(scaled), d);
  Matrix<double> wide(d, d);
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t a = 0; a < d; ++a) wide(i, a) = eigen.vectors(i, a) * std::sqrt(std::max(1.0, eigen.values[a]));
  outer_product(wide.view(), S.view());
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j <= i; ++j) S(j, i) = S(i, j) = S(i, j) * root[i] * root[j];
  return S;
}

Gaussians maximized(const GaussianSums& sums, const Gaussians& from, std::span<const double> floor, Threads& threads) {
  const std::size_t K = sums.size(), d = sums.inputs();
  require(floor.size() == d, "mixture: a floor of {} variances, expected {}", floor.size(), d);
  double all = 0;
  for (std::size_t k = 0; k < K; ++k) all += sums.weight(k);
  Gaussians to = from;
  threads.run(K, [&](std::size_t k, int) {
    if (!(sums.weight(k) > kLeastWeight * all)) return;
    const std::vector<double> mean = sums.mean(k);
    std::copy(mean.begin(), mean.end(), &to.means(k, 0));
    if (from.form.kind == Kind::full) to.matrices[k] = raised_to_floor(sums.covariance(k), floor);
    if (from.form.kind == Kind::lowrank) low_rank_step(sums, k, from, floor, to);
    if (from.form.kind == Kind::spherical) to.variances(k, 0) = std::max(mean_of(floor), sums.variances(k)[0]);
    if (from.form.kind != Kind::diag) return;
    const std::vector<double> variances = sums.variances(k);
    for (std::size_t j = 0; j < d; ++j) to.variances(k, j) = std::max(floor[j], variances[j]);
  });
  if (from.form.kind == Kind::tied && all > 0) to.matrices[0] = raised_to_floor(sums.pooled_covariance(), floor);
  return to;
}

Gaussians in_form(const Gaussians& full, const CovarianceForm& form, std::span<const double> weights,
                  std::span<const double> floor) {
  const std::size_t K = full.size(), d = full.inputs();
  require(form.kind != Kind::lowrank || form.rank <= d, "mixture: covariances of rank {}, expected at most {} inputs",
          form.rank, d);
  Gaussians to{.form = form, .means = full.means, .variances = {}, .matrices = {}};
  if (form.kind == Kind::full) return full;
  if (form.kind == Kind::tied) {
    Matrix<double> pooled(d, d);
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::size_t k = 0; k < K; ++k)
      for (std::size_t i = 0; i < d * d; ++i) pooled.data()[i] += weights[k] / all * full.matrices[k].data()[i];
    to.matrices.push_back(raised_to_floor(std::move(pooled), floor));
    return to;
  }
  to.variances = Matrix<double>(K, form.kind == Kind::spherical ? 1 : d);
  for (std::size_t k = 0; k < K; ++k) {
    const Matrix<double>& S = full.matrices[k];
    std::vector<double> left(d);
    for (std::size_t j = 0; j < d; ++j) left[j] = S(j, j);
    if (form.kind == Kind::spherical) {
      to.variances(k, 0) = std::max(mean_of(floor), mean_of(left));
      continue;
    }
    if (form.kind == Kind::lowrank) {
      const Eigen eigen = largest_eigen(S, form.rank);
      const double trace = mean_of(left) * double(d),
                   seen = std::accumulate(eigen.values.begin(), eigen.values.end(), 0.0);
      const double noise = d > form.rank ? std::max(0.0, trace - seen) / double(d - form.rank) : 0;
      Matrix<double> F(d, form.rank);
      for (std::size_t a = 0; a < form.rank; ++a)
        for (std::size_t j = 0; j < d; ++j) {
          F(j, a) = eigen.vectors(j, a) * std::sqrt(std::max(0.01 * eigen.values[a], eigen.values[a] - noise));
          left[j] -= F(j, a) * F(j, a);
        }
      to.matrices.push_back(std::move(F));
    }
    for (std::size_t j = 0; j < d; ++j) to.variances(k, j) = std::max(floor[j], left[j]);
  }
  return to;
}

}  // namespace bochner
