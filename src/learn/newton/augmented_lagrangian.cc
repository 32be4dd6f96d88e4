// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/newton/augmented_lagrangian.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace bochner {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kShrink = 0.25;
constexpr double kSteepestAtFirst = 4, kSteepest = 1e6;  // c / h, where the longest row is as long as 1
// What rounding leaves of a gap, however small the objective is, relative to the cost of all rows, each off by 1.
constexpr double kRounding = 1e-14;
constexpr double kNoMargin = 1e-5;  // margin / longest row that rounding of the features would undo

double half_square(const double* w, std::size_t D) {
  double sum = 0;
  for (std::size_t j = 0; j < D; ++j) sum += w[j] * w[j];
  return 0.5 * sum;
}

}  // namespace

AugmentedLagrangian::AugmentedLagrangian(Newton& newton, const Design& z, const Examples& examples, LossChoice loss)
    : newton_(newton), z_(z), examples_(examples), loss_(std::move(loss)) {}

double AugmentedLagrangian::most(std::size_t i, std::size_t k, bool positive) const {
  if (loss_.is_hard()) return kInfinity;
  if (!loss_.is_lines()) return examples_.cost(i, k);
  const LossLines lines = loss_.lines(k);
  return examples_.cost(i, k) * (positive ? lines.above : lines.below);
}

// An intercept asks that the multipliers sum to 0. Those between their bounds give way first, as far as they have
// room: their rows lie on the corner, where the dual is flat to first order. Then the heavier side shrinks.
void AugmentedLagrangian::balance(Matrix<double>& a, std::size_t k) const {
  double sum = 0, rooms = 0;
  for (std::size_t i = 0; i < a.rows(); ++i) sum += a(i, k);
  const auto room = [&](std::size_t i) {
    const double size = std::abs(a(i, k)), most_size = most(i, k, a(i, k) > 0);
    if (size == 0 || size >= most_size) return 0.0;
    return std::isinf(most_size) || (a(i, k) > 0) == (sum > 0) ? size : most_size - size;
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

// The true objective, of w itself or of w / margin, margin the least of all: the second, which violates none, is the
// only one for a hard margin and the better one where C is large.
double AugmentedLagrangian::primal(const Iterate& at, std::size_t k) {
  double losses = 0, margin = kInfinity;
  for (std::size_t i = 0; i < z_.rows(); ++i) {
    const double c = examples_.cost(i, k), y = examples_.y(i, k), u = at.u(i, k);
    if (c <= 0) continue;
    losses += loss_.value(k, c, y, u);
    margin = std::min(margin, y * u);
  }
  const double norm = half_square(&at.w(k, 0), z_.features());
  const double soft = loss_.is_hard() ? kInfinity : norm + losses;
  const double hard = !loss_.is_lines() && margin > 0 ? norm / (margin * margin) : kInfinity;
  scale_[k] = hard < soft ? 1 / margin : 1;
  return std::min(hard, soft);
}

// sum_i y a - free |a|, less half the square of the w that a makes.
double AugmentedLagrangian::dual(const Matrix<double>& a, const double* Zt_a, std::size_t k) const {
  const double free = loss_.is_lines() ? loss_.lines(k).free : 0;
  double sum = 0;
  for (std::size_t i = 0; i < z_.rows(); ++i) sum += examples_.y(i, k) * a(i, k) - free * std::abs(a(i, k));
  return sum - half_square(Zt_a, z_.features());
}

void AugmentedLagrangian::begin(Multipliers& multipliers) {
  const std::size_t K = examples_.outputs();
  solution_ = {std::vector<double>(K, kInfinity), std::vector<double>(K, -kInfinity)};
  gap_.assign(K, kInfinity);
  scale_.assign(K, 1.0);
  floor_.resize(K);
  if (multipliers.a.rows() == 0) multipliers.a = Matrix<double>(z_.rows(), K);
  double most_c = 0;
  for (std::size_t k = 0; k < K; ++k) {
    floor_[k] = kRounding * examples_.cost_of_all(k);
    for (std::size_t i = 0; i < z_.rows(); ++i) most_c = std::max(most_c, examples_.cost(i, k));
  }
  // A band of slope c / h: steep from the start, Newton's steps would meet one corner after the other.
  longest_ = z_.longest_row();
  const double square = longest_ > 0 ? longest_ * longest_ : 1;
  narrowest_ = most_c * square / kSteepest;
  multipliers.h = std::max(multipliers.h, most_c * square / kSteepestAtFirst);
}

bool AugmentedLagrangian::judge(const Iterate& at, const Matrix<double>& a, const Matrix<double>& Zt_a, std::size_t k) {
  solution_.primal[k] = primal(at, k);
  solution_.dual[k] = std::max(solution_.dual[k], dual(a, &Zt_a(k, 0), k));
  gap_[k] = solution_.primal[k] - solution_.dual[k];
  if (!loss_.is_hard()) return true;
  // The widest margin is min |sum a_i z_i| / sum |a_i| over all multipliers, so at most what these give.
  double sum = 0;
  for (std::size_t i = 0; i < z_.rows(); ++i) sum += std::abs(a(i, k));
  return !(std::sqrt(2 * half_square(&Zt_a(k, 0), z_.features())) / sum < kNoMargin * longest_);
}

DualitySolution AugmentedLagrangian::solve(double tolerance, int most_steps, Iterate& at, Multipliers& multipliers,
                                           const Newton::Watch& watch) {
  begin(multipliers);
  std::vector<std::size_t> open(examples_.outputs());
  std::iota(open.begin(), open.end(), 0);
  const int last = newton_.steps() + most_steps;
  // A round may find its minimum without a step, so that rounds are counted too.
  for (int round = 0; !open.empty() && newton_.steps() < last && round < most_steps; ++round) {
    Newton::Result inner = newton_.minimize(
        *smoothed_loss(examples_, loss_, multipliers.a, multipliers.h), at, open,
        [&](std::size_t k, double value) {
          return std::max({0.02 * tolerance * std::abs(value), 0.02 * std::min(gap_[k], value), 0.02 * floor_[k]});
        },
        last - newton_.steps());
    multipliers.a = inner.alpha;
    Matrix<double> a = std::move(inner.alpha), Zt_a = std::move(inner.Zt_alpha);
    if (z_.intercept()) {
      for (std::size_t k : open) balance(a, k);
      Zt_a = z_.combination(a);
    }
    double done = 1;
    std::vector<std::size_t> still_open;
    for (std::size_t k : open) {
      if (!judge(at, a, Zt_a, k)) {
        solution_.separable = false;
        return solution_;
      }
      if (std::isfinite(gap_[k]) && gap_[k] <= std::max(tolerance * solution_.primal[k], floor_[k])) continue;
      still_open.push_back(k);
      done = std::min(done, std::isfinite(gap_[k]) ? std::log(gap_[k] / solution_.primal[k]) / std::log(tolerance) : 0);
    }
    open = still_open;
    if (watch) watch(std::clamp(done, 0.0, 1.0));
    multipliers.h = std::max(narrowest_, multipliers.h * kShrink);
  }
  solution_.converged = open.empty();
  for (std::size_t k = 0; k < examples_.outputs(); ++k) {
    for (std::size_t j = 0; j < z_.length(); ++j) at.w(k, j) *= scale_[k];
    for (std::size_t i = 0; i < z_.rows(); ++i) at.u(i, k) *= scale_[k];
  }
  return solution_;
}

}  // namespace bochner
