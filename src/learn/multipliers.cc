// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/multipliers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <cstdio>

namespace bochner {

namespace {

constexpr double kShrink = 0.25;
constexpr double kNarrowest = 1e-7;
constexpr double kNoMargin = 1e-7;  // of the longest row: below it we do not call rows separable

std::unique_ptr<Loss> smoothed(const Examples& examples, const Corner& corner, const Multipliers& m) {
  if (corner.kind == Corner::Kind::tube) return smoothed_tube(examples, m.a, m.h, corner.epsilon);
  return smoothed_hinge(examples, m.a, m.h, corner.kind == Corner::Kind::hard);
}

double half_square(const double* w, std::size_t D) {
  double sum = 0;
  for (std::size_t j = 0; j < D; ++j) sum += w[j] * w[j];
  return 0.5 * sum;
}

// The true objective. Hard: that of w / m, m the least margin, which is feasible.
double primal(const FeatureRows& z, const Examples& examples, const Corner& corner, const Iterate& at, std::size_t k) {
  double loss = 0, margin = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < z.rows(); ++i) {
    const double c = examples.c[i], y = examples.y(i, k), u = at.u(i, k);
    if (c <= 0) continue;
    const double v = corner.kind == Corner::Kind::tube ? std::abs(y - u) - corner.epsilon[k] : 1 - y * u;
    loss += c * std::max(0.0, v);
    margin = std::min(margin, y * u);
  }
  const double norm = half_square(&at.w(k, 0), z.features());
  if (corner.kind != Corner::Kind::hard) return norm + loss;
  return margin > 0 ? norm / (margin * margin) : std::numeric_limits<double>::infinity();
}

// sum_i y a - epsilon |a|, less half the square of the w that a makes.
double dual(const FeatureRows& z, const Examples& examples, const Corner& corner, const Matrix<double>& a,
            const double* pulled, std::size_t k) {
  double sum = 0;
  for (std::size_t i = 0; i < z.rows(); ++i) {
    sum += examples.y(i, k) * a(i, k);
    if (corner.kind == Corner::Kind::tube) sum -= corner.epsilon[k] * std::abs(a(i, k));
  }
  return sum - half_square(pulled, z.features());
}

// An intercept asks that the multipliers sum to 0: the heavier side gives way. Says whether any changed.
bool balance(Matrix<double>& a, std::size_t k) {
  double plus = 0, minus = 0;
  for (std::size_t i = 0; i < a.rows(); ++i) (a(i, k) > 0 ? plus : minus) += std::abs(a(i, k));
  if (plus == minus) return false;
  const double factor = std::min(plus, minus) / std::max(plus, minus);
  for (std::size_t i = 0; i < a.rows(); ++i)
    if ((a(i, k) > 0) == (plus > minus)) a(i, k) *= factor;
  return true;
}

}  // namespace

MarginSolution solve_margins(Newton& newton, const FeatureRows& z, const Examples& examples, const Corner& corner,
                             double tolerance, int most_steps, Threads& threads, Iterate& at,
                             Multipliers& multipliers) {
  const std::size_t K = examples.outputs();
  const double inf = std::numeric_limits<double>::infinity();
  MarginSolution solution{std::vector<double>(K, inf), std::vector<double>(K, -inf)};
  if (multipliers.a.rows() == 0) multipliers.a = Matrix<double>(z.rows(), K);
  std::vector<std::size_t> open(K);
  std::iota(open.begin(), open.end(), 0);
  std::vector<double> gap(K, inf);
  const int last = newton.steps() + most_steps;

  while (!open.empty() && newton.steps() < last) {
    const Newton::Result inner = newton.minimize(
        *smoothed(examples, corner, multipliers), at, open,
        [&](std::size_t k, double value) { return std::max(0.02 * tolerance * std::abs(value), 0.02 * std::min(gap[k], value)); },
        last - newton.steps());
    multipliers.a = inner.pull;

    Matrix<double> a = inner.pull, pulled = inner.pulled;
    if (z.intercept()) {
      bool changed = false;
      for (std::size_t k : open) changed |= balance(a, k);
      if (changed) pulled = z.combination(threads, a);
    }
    std::vector<std::size_t> still_open;
    for (std::size_t k : open) {
      solution.primal[k] = std::min(solution.primal[k], primal(z, examples, corner, at, k));
      solution.dual[k] = std::max(solution.dual[k], dual(z, examples, corner, a, &pulled(k, 0), k));
      gap[k] = solution.primal[k] - solution.dual[k];
      if (getenv("TRACE")) fprintf(stderr, "h %g k %zu steps %d products %d factors %d P %.10g D %.10g gap %.3g\n", multipliers.h, k, newton.steps(), newton.products(), newton.factors(), solution.primal[k], solution.dual[k], gap[k]/solution.primal[k]);
      if (!(gap[k] <= tolerance * solution.primal[k])) still_open.push_back(k);
      if (corner.kind == Corner::Kind::hard) {
        double sum = 0;
        for (std::size_t i = 0; i < z.rows(); ++i) sum += std::abs(a(i, k));
        if (std::sqrt(2 * half_square(&pulled(k, 0), z.features())) < kNoMargin * sum) {
          solution.separable = false;
          return solution;
        }
      }
    }
    open = still_open;
    multipliers.h = std::max(kNarrowest, multipliers.h * kShrink);
  }
  solution.converged = open.empty();
  return solution;
}

}  // namespace bochner
