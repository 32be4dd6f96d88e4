// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/newton/primal.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/require.h"

namespace bochner {

namespace {

constexpr double kNormal = 1.345;  // Huber's delta in deviations: 95 % as good as squares on normal errors
constexpr double kMedianPerDeviation = 0.6744897501960817;
constexpr double kDefaultTube = 0.1;  // epsilon in deviations of the target
constexpr double kLooseTolerance = 1e-3;
constexpr double kWarmWidth = 1.0 / 16;  // h of a warm start

double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Primal::Primal(const FeatureRows& z, const Schema& schema, const LearnerOptions& options, Threads& threads,
               Newton::Watch watch, Checkpoint* checkpoint)
    : z_(z),
      options_(options),
      threads_(threads),
      watch_(std::move(watch)),
      newton_(z, options.seed, threads, checkpoint) {
  for (std::size_t i = 0; i < z_.rows(); ++i) weight_ += z_.weight(i);
  require(weight_ > 0, "train: the weights of all rows are zero");
  code_targets(schema);
  const std::size_t K = examples_.outputs();
  examples_.c.resize(z_.rows());
  at_ = {Matrix<double>(K, z_.stride()), Matrix<double>(z_.rows(), K)};
  epsilon_ = options_.epsilon.value_or(kDefaultTube * unit_);
  if (options_.learner == Learner::huber) {
    delta_ = options_.delta.value_or(0);
    if (!options_.delta) choose_delta();
  }
}

void Primal::code_targets(const Schema& schema) {
  const std::size_t n = z_.rows();
  if (!is_regression()) {
    const std::size_t classes = schema.labels.size(), K = classes == 2 ? 1 : classes;
    examples_.y = Matrix<double>(n, K);
    for (std::size_t i = 0; i < n; ++i) {
      const auto label = std::size_t(z_.targets(i)[0]);
      for (std::size_t k = 0; k < K; ++k) examples_.y(i, k) = label == (K == 1 ? 1 : k) ? 1 : -1;
    }
    center_.assign(K, 0.0);
    return;
  }
  const std::size_t K = z_.target_count();
  center_.assign(K, 0.0);
  if (z_.intercept())
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < K; ++k) center_[k] += z_.weight(i) * z_.targets(i)[k] / weight_;
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < K; ++k) {
      const double t = z_.targets(i)[k] - center_[k];
      squares += z_.weight(i) * t * t / (weight_ * double(K));
    }
  unit_ = squares > 0 ? std::sqrt(squares) : 1;
  examples_.y = Matrix<double>(n, K);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < K; ++k) examples_.y(i, k) = (z_.targets(i)[k] - center_[k]) / unit_;
}

// From the deviation of the targets to that of the residuals: the median of |r| does not see the outliers.
void Primal::choose_delta() {
  const double C = !options_.C.empty()         ? options_.C[0]
                   : !options_.lambdas.empty() ? 1 / (options_.lambdas[0] * weight_)
                                               : 1;
  delta_ = kNormal * unit_;
  for (int round = 0; round < 3; ++round) {
    solve(C, kLooseTolerance);
    std::vector<double> residuals;
    for (std::size_t i = 0; i < z_.rows(); ++i)
      for (std::size_t k = 0; k < examples_.outputs(); ++k)
        if (z_.weight(i) > 0) residuals.push_back(std::abs(examples_.y(i, k) - at_.u(i, k)));
    const double deviation = median(std::move(residuals)) / kMedianPerDeviation * unit_;
    delta_ = std::max(kNormal * deviation, 1e-6 * unit_);
  }
}

// In units of 1/unit the objective is divided by unit^2: squares keep their C, lines have C / unit.
Primal::Solution Primal::solve(double C, double tolerance) {
  const bool hard = options_.learner == Learner::hard_svm;
  const bool lines = options_.learner == Learner::svr && options_.loss == MarginLoss::linear;
  const double scale = hard ? 1 : lines ? C / unit_ : C;
  for (std::size_t i = 0; i < z_.rows(); ++i) {
    const double weight = !held_.empty() && held_[i] ? 0 : z_.weight(i);
    examples_.c[i] = hard ? double(weight > 0) : scale * weight;
  }
  if (C_ > 0 && multipliers_.a.rows() > 0 && !hard) {
    for (std::size_t i = 0; i < z_.rows(); ++i)
      for (std::size_t k = 0; k < examples_.outputs(); ++k)
        multipliers_.a(i, k) = examples_.c[i] > 0 ? multipliers_.a(i, k) * (C / C_) : 0;
    multipliers_.h = kWarmWidth;
  }
  C_ = C;
  const std::vector<double> epsilons(examples_.outputs(), epsilon_ / unit_),
      deltas(examples_.outputs(), delta_ / unit_);
  const bool squared = options_.loss == MarginLoss::squared;
  Solution s;
  switch (options_.learner) {
    case Learner::svm:
      s = squared ? solve_smooth(*squared_hinge(examples_), tolerance) : solve_cornered(Corner::Kind::hinge, tolerance);
      break;
    case Learner::hard_svm:
      s = solve_cornered(Corner::Kind::hard, tolerance);
      break;
    case Learner::svr:
      s = squared ? solve_smooth(*squared_tube(examples_, epsilons), tolerance)
                  : solve_cornered(Corner::Kind::tube, tolerance);
      break;
    case Learner::logistic:
      s = solve_smooth(examples_.outputs() == 1 ? *logistic(examples_) : *softmax(examples_), tolerance);
      break;
    case Learner::huber:
      s = solve_smooth(*huber(examples_, deltas), tolerance);
      break;
    case Learner::ridge:
      require(false, "ridge has its own solver");
  }
  s.objective *= unit_ * unit_;
  s.excess *= unit_ * unit_;
  return s;
}

Primal::Solution Primal::solve_smooth(const Loss& loss, double tolerance) {
  std::vector<std::size_t> all(examples_.outputs());
  std::iota(all.begin(), all.end(), 0);
  const Newton::Result r = newton_.minimize(
      loss, at_, all, [&](std::size_t, double value) { return tolerance * value; }, options_.most_steps, watch_);
  Solution s{0, 0, r.converged};
  for (std::size_t k = 0; k < (loss.coupled() ? 1 : all.size()); ++k) {
    s.objective += r.value[k];
    s.excess += r.excess[k];
  }
  return s;
}

Primal::Solution Primal::solve_cornered(Corner::Kind kind, double tolerance) {
  const Corner corner{kind, std::vector<double>(examples_.outputs(), epsilon_ / unit_)};
  const MarginSolution m = solve_margins(newton_, z_, examples_, corner, tolerance, options_.most_steps, threads_, at_,
                                         multipliers_, watch_);
  if (!m.separable)
    fail(Error::Kind::data,
         "hard-svm: no hyperplane in {} features separates the classes; use the soft margin (svm), more features or a "
         "smaller bandwidth",
         z_.features());
  Solution s{0, 0, m.converged};
  for (std::size_t k = 0; k < m.primal.size(); ++k) {
    s.objective += m.primal[k];
    s.excess += m.primal[k] - m.dual[k];
  }
  return s;
}

Coefficients Primal::head() const {
  const std::size_t K = examples_.outputs(), D = z_.features();
  Coefficients c{Matrix<double>(D, K), center_};
  for (std::size_t k = 0; k < K; ++k) {
    for (std::size_t j = 0; j < D; ++j) c.weights(j, k) = at_.w(k, j) * unit_;
    if (z_.intercept()) c.intercept[k] += at_.w(k, D) * unit_;
  }
  return c;
}

void Primal::predict(std::size_t row, double* prediction) const {
  for (std::size_t k = 0; k < center_.size(); ++k) prediction[k] = at_.u(row, k) * unit_ + center_[k];
}

}  // namespace bochner
