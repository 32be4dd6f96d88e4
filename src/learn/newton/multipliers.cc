// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/newton/multipliers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace bochner {

namespace {

constexpr double kShrink = 0.25;
constexpr double kSteepestAtFirst = 4, kSteepest = 1e6;  // c / h, where the longest row is as long as 1
// Of the cost of all rows, each off by 1: what rounding leaves of a gap, however small the objective is.
constexpr double kRounding = 1e-14;
constexpr double kNoMargin = 1e-5;  // of the longest row: a margin that rounding of the features would undo

std::unique_ptr<Loss> smoothed(const Examples& examples, const Corner& corner, const Multipliers& m) {
  if (corner.kind == Corner::Kind::tube) return smoothed_tube(examples, m.a, m.h, corner.epsilon);
  return smoothed_hinge(examples, m.a, m.h, corner.kind == Corner::Kind::hard);
}

double half_square(const double* w, std::size_t D) {
  double sum = 0;
  for (std::size_t j = 0; j < D; ++j) sum += w[j] * w[j];
  return 0.5 * sum;
}

// The true objective, of w itself or of w / margin, margin the least of all: the second, which violates none, is the
// only one for a hard margin and the better one where C is large.
struct PrimalValue {
  double value, scale;  // scale: 1 or 1 / margin
};
PrimalValue primal(const FeatureRows& z, const Examples& examples, const Corner& corner, const Iterate& at,
                   std::size_t k) {
  const double inf = std::numeric_limits<double>::infinity();
  double loss = 0, margin = inf;
  for (std::size_t i = 0; i < z.rows(); ++i) {
    const double c = examples.cost(i, k), y = examples.y(i, k), u = at.u(i, k);
    if (c <= 0) continue;
    const double v = corner.kind == Corner::Kind::tube ? std::abs(y - u) - corner.epsilon[k] : 1 - y * u;
    loss += c * std::max(0.0, v);
    margin = std::min(margin, y * u);
  }
  const double norm = half_square(&at.w(k, 0), z.features());
  const double soft = corner.kind == Corner::Kind::hard ? inf : norm + loss;
  const double hard = corner.kind != Corner::Kind::tube && margin > 0 ? norm / (margin * margin) : inf;
  return hard < soft ? PrimalValue{hard, 1 / margin} : PrimalValue{soft, 1};
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

// An intercept asks that the multipliers sum to 0. Those between their bounds give way first, as far as they have
// room: their rows lie on the corner, where the dual is flat to first order. Then the heavier side shrinks.
void balance(const Examples& examples, bool hard, Matrix<double>& a, std::size_t k) {
  double sum = 0, rooms = 0;
  for (std::size_t i = 0; i < a.rows(); ++i) sum += a(i, k);
  const auto room = [&](std::size_t i) {
    const double size = std::abs(a(i, k)), c = examples.cost(i, k);
    if (size == 0 || (!hard && size >= c)) return 0.0;
    return hard || (a(i, k) > 0) == (sum > 0) ? size : c - size;
  };
  for (std::size_t i = 0; i < a.rows(); ++i) rooms += room(i);
  const double share = rooms > 0 ? std::min(1.0, std::abs(sum) / rooms) : 0;
  double plus = 0, minus = 0;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    a(i, k) -= std::copysign(share * room(i), sum);
    (a(i, k) > 0 ? plus : minus) += std::abs(a(i, k));
  }
  if (plus == minus) return;
  const double factor = std::min(plus, minus) / std::max(plus, minus);
  for (std::size_t i = 0; i < a.rows(); ++i)
    if ((a(i, k) > 0) == (plus > minus)) a(i, k) *= factor;
}

}  // namespace

MarginSolution solve_margins(Newton& newton, const FeatureRows& z, const Examples& examples, const Corner& corner,
                             double tolerance, int most_steps, Threads& threads, Iterate& at, Multipliers& multipliers,
                             const Newton::Watch& watch) {
  const std::size_t K = examples.outputs();
  const double inf = std::numeric_limits<double>::infinity();
  MarginSolution solution{std::vector<double>(K, inf), std::vector<double>(K, -inf)};
  if (multipliers.a.rows() == 0) multipliers.a = Matrix<double>(z.rows(), K);
  // A band of slope c / h: steep from the start, Newton's steps would meet one corner after the other.
  std::vector<double> floor(K);
  double most_c = 0;
  for (std::size_t k = 0; k < K; ++k) {
    floor[k] = kRounding * examples.cost_of_all(k);
    for (std::size_t i = 0; i < z.rows(); ++i) most_c = std::max(most_c, examples.cost(i, k));
  }
  const double longest = z.longest_row(), square = longest > 0 ? longest * longest : 1;
  const double narrowest = most_c * square / kSteepest;
  multipliers.h = std::max(multipliers.h, most_c * square / kSteepestAtFirst);
  std::vector<std::size_t> open(K);
  std::iota(open.begin(), open.end(), 0);
  std::vector<double> gap(K, inf), scale(K, 1.0);
  const int last = newton.steps() + most_steps;

  // A round may find its minimum without a step, so that rounds are counted too.
  for (int round = 0; !open.empty() && newton.steps() < last && round < most_steps; ++round) {
    const Newton::Result inner = newton.minimize(
        *smoothed(examples, corner, multipliers), at, open,
        [&](std::size_t k, double value) {
          return std::max({0.02 * tolerance * std::abs(value), 0.02 * std::min(gap[k], value), 0.02 * floor[k]});
        },
        last - newton.steps());
    multipliers.a = inner.pull;

    Matrix<double> a = inner.pull, pulled = inner.pulled;
    if (z.intercept()) {
      for (std::size_t k : open) balance(examples, corner.kind == Corner::Kind::hard, a, k);
      pulled = z.combination(threads, a);
    }
    std::vector<std::size_t> still_open;
    double done = 1;
    for (std::size_t k : open) {
      const PrimalValue now = primal(z, examples, corner, at, k);
      solution.primal[k] = now.value;
      scale[k] = now.scale;
      solution.dual[k] = std::max(solution.dual[k], dual(z, examples, corner, a, &pulled(k, 0), k));
      gap[k] = solution.primal[k] - solution.dual[k];
      if (!(std::isfinite(gap[k]) && gap[k] <= std::max(tolerance * solution.primal[k], floor[k])))
        still_open.push_back(k);
      if (corner.kind == Corner::Kind::hard) {
        // The widest margin is min |sum a_i z_i| / sum |a_i| over all multipliers, so at most what these give.
        double sum = 0;
        for (std::size_t i = 0; i < z.rows(); ++i) sum += std::abs(a(i, k));
        const double margin = std::sqrt(2 * half_square(&pulled(k, 0), z.features())) / sum;
        if (margin < kNoMargin * longest) {
          solution.separable = false;
          return solution;
        }
      }
    }
    open = still_open;
    for (std::size_t k : open)
      done = std::min(done, std::isfinite(gap[k]) ? std::log(gap[k] / solution.primal[k]) / std::log(tolerance) : 0);
    if (watch) watch(std::clamp(done, 0.0, 1.0));
    multipliers.h = std::max(narrowest, multipliers.h * kShrink);
  }
  solution.converged = open.empty();
  for (std::size_t k = 0; k < K; ++k) {
    for (std::size_t j = 0; j < z.stride(); ++j) at.w(k, j) *= scale[k];
    for (std::size_t i = 0; i < z.rows(); ++i) at.u(i, k) *= scale[k];
  }
  return solution;
}

}  // namespace bochner
