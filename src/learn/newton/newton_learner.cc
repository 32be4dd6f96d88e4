// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/newton/newton_learner.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/require.h"
#include "learn/fit_memory.h"
#include "learn/newton/residual_scale.h"

namespace bochner {

namespace {

constexpr double kLooseTolerance = 1e-3;
constexpr double kScoreRounding = 1e-14;  // no solution comes closer, relative to the cost of all rows, each off by 1
constexpr double kWarmWidth = 1.0 / 16;   // h of a warm start

constexpr double kRoundedTolerance = 1e-7;

}  // namespace

std::size_t learner_outputs(const Schema& schema, const LearnerOptions& options) {
  return options.levels.empty() ? outputs_of(schema) : options.levels.size();
}

bool rounds_features(const LearnerOptions& options) {
  return learner_row(options.learner).rounds_features &&
         options.tolerance.value_or(kLearnerTolerance) >= kRoundedTolerance;
}

void check_amount(const LossChoice& loss, double y, const std::string& target, const char* rows, std::size_t row) {
  const bool above = loss.power() == 2;
  if (!(above ? y > 0 : y >= 0))
    fail(Error::Kind::data,
         "{} {}: target {}: found {:g}, expected {} for {}; correct it, leave the row out, or use {}", rows, row,
         target, y, above ? "a number above 0" : "0 or more", loss.row.name,
         above ? "tweedie or huber" : "huber or ridge");
}

NewtonLearner::NewtonLearner(const Design& z, const Schema& schema, const LearnerOptions& options, Newton::Watch watch,
                             Checkpoint* checkpoint)
    : z_(z),
      options_(options),
      row_(learner_row(options.learner)),
      watch_(std::move(watch)),
      newton_(z, options.seed, checkpoint) {
  for (std::size_t i = 0; i < z_.rows(); ++i) weight_ += z_.weight(i);
  require(weight_ > 0, "train: the weights of all rows are zero");
  code_targets(schema);
  const std::size_t K = examples_.outputs();
  examples_.c.resize(z_.rows());
  at_ = {Matrix<double>(K, z_.length()), Matrix<double>(z_.rows(), K)};
  if (!row_.parameter) return;
  parameter_ = options_.levels;
  if (!parameter_.empty()) return;
  for (const double unit : unit_)
    parameter_.push_back(
        options_.parameter.value_or(row_.parameter->initial * (row_.parameter->is_of_target ? unit : 1)));
  if (options_.learner == Learner::huber && !options_.parameter) choose_delta();
}

void NewtonLearner::code_targets(const Schema& schema) {
  const std::size_t n = z_.rows();
  if (schema.task == Task::classification) {
    const std::size_t classes = schema.labels.size(), K = classes == 2 ? 1 : classes;
    examples_.y = Matrix<double>(n, K);
    for (std::size_t i = 0; i < n; ++i) {
      const auto label = std::size_t(z_.targets(i)[0]);
      for (std::size_t k = 0; k < K; ++k) examples_.y(i, k) = label == (K == 1 ? 1 : k) ? 1 : -1;
    }
    center_.assign(K, 0.0);
    unit_.assign(K, 1.0);
    return;
  }
  const std::size_t K = learner_outputs(schema, options_), targets = z_.target_count();
  examples_.y = Matrix<double>(n, K);
  for (std::size_t k = 0; k < K; ++k) {
    if (in_logs())
      code_means(k, schema.target_names()[k]);
    else
      code_numbers(k, std::min(k, targets - 1));
  }
}

// Output k of numbers, in deviations from their mean.
void NewtonLearner::code_numbers(std::size_t k, std::size_t target) {
  const std::size_t n = z_.rows();
  double largest = 0, mean = 0, squares = 0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(z_.targets(i)[target]));
  if (!(largest > 0)) largest = 1;
  if (z_.intercept())
    for (std::size_t i = 0; i < n; ++i) mean += z_.weight(i) / weight_ * (z_.targets(i)[target] / largest);
  for (std::size_t i = 0; i < n; ++i) {
    const double t = z_.targets(i)[target] / largest - mean;
    squares += z_.weight(i) / weight_ * t * t;
  }
  const double deviation = std::sqrt(squares);
  center_.push_back(mean * largest);
  unit_.push_back(deviation > kConstantTarget ? deviation * largest : largest);
  for (std::size_t i = 0; i < n; ++i) examples_.y(i, k) = (z_.targets(i)[target] - center_[k]) / unit_[k];
}

// Output k of counts or amounts over their mean, whose logarithm is then the intercept of a head that knows nothing.
void NewtonLearner::code_means(std::size_t k, const std::string& name) {
  const std::size_t n = z_.rows();
  const LossChoice loss{row_, options_.loss, {options_.parameter.value_or(1)}};
  double mean = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double y = z_.targets(i)[k];
    if (z_.weight(i) > 0) check_amount(loss, y, name, "row", i);
    mean += z_.weight(i) / weight_ * y;
  }
  center_.push_back(0);
  unit_.push_back(z_.intercept() && mean > 0 ? mean : 1);
  for (std::size_t i = 0; i < n; ++i) examples_.y(i, k) = z_.targets(i)[k] / unit_[k];
}

void NewtonLearner::begin_at(const Coefficients& head) {
  const std::size_t K = examples_.outputs(), D = z_.features();
  for (std::size_t k = 0; k < K; ++k) {
    const double unit = in_logs() ? 1 : unit_[k], center = in_logs() ? std::log(unit_[k]) : center_[k];
    for (std::size_t j = 0; j < D; ++j) at_.w(k, j) = head.weights(j, k) / unit;
    if (z_.intercept()) at_.w(k, z_.intercept_at()) = (head.intercept[k] - center) / unit;
  }
  at_.u = z_.scores(at_.w);
}

// Goes from the deviation of the targets to that of the residuals: the median of |r| does not see the outliers.
void NewtonLearner::choose_delta() {
  const double C = !options_.C.empty()         ? options_.C[0]
                   : !options_.lambdas.empty() ? 1 / (options_.lambdas[0] * weight_)
                                               : 1;
  for (int round = 0; round < 3; ++round) {
    solve(C, kLooseTolerance);
    for (std::size_t k = 0; k < parameter_.size(); ++k) {
      std::vector<double> residuals;
      for (std::size_t i = 0; i < z_.rows(); ++i)
        if (z_.weight(i) > 0) residuals.push_back(std::abs(examples_.y(i, k) - at_.u(i, k)));
      const double deviation = robust_deviation(std::move(residuals));
      parameter_[k] = std::max(row_.parameter->initial * deviation, 1e-6) * unit_[k];
    }
  }
}

std::vector<double> NewtonLearner::users_C(double C, Units units) const {
  std::vector<double> all(unit_.size(), C);
  if (loss().is_lines() && units == Units::of_target)
    for (std::size_t k = 0; k < all.size(); ++k) all[k] *= unit_[k];
  return all;
}

LossChoice NewtonLearner::loss() const {
  LossChoice choice{row_, options_.loss, parameter_};
  if (row_.parameter && row_.parameter->is_of_target)
    for (std::size_t k = 0; k < parameter_.size(); ++k) choice.parameter[k] /= unit_[k];
  return choice;
}

// The objective in the target's unit is divided by unit^2: squares keep their C, lines have C / unit.
NewtonLearner::Solution NewtonLearner::solve(double C, double tolerance, Units units) {
  const LossChoice loss = this->loss();
  const bool hard = loss.is_hard();
  examples_.price.clear();
  if (loss.is_lines() && units == Units::of_user)
    for (const double unit : unit_) examples_.price.push_back(1 / unit);
  for (std::size_t i = 0; i < z_.rows(); ++i) {
    const double weight = !held_.empty() && held_[i] ? 0 : z_.weight(i);
    examples_.c[i] = hard ? double(weight > 0) : C * weight;
  }
  if (C_ > 0 && multipliers_.a.rows() > 0 && !hard) {
    for (std::size_t i = 0; i < z_.rows(); ++i)
      for (std::size_t k = 0; k < examples_.outputs(); ++k)
        multipliers_.a(i, k) = examples_.c[i] > 0 ? multipliers_.a(i, k) * (C / C_) : 0;
    multipliers_.h = kWarmWidth;
  }
  C_ = C;
  return loss.is_smooth() ? solve_smooth(*smooth_loss(examples_, loss), tolerance) : solve_nonsmooth(loss, tolerance);
}

NewtonLearner::Solution NewtonLearner::in_users_units(const std::vector<double>& value,
                                                      const std::vector<double>& excess, bool converged) const {
  Solution s{0, 0, converged};
  for (std::size_t k = 0; k < value.size(); ++k) {
    const double unit = in_logs() ? 1 : unit_[k];
    s.objective += value[k] * unit * unit;
    s.excess += excess[k] * unit * unit;
  }
  return s;
}

NewtonLearner::Solution NewtonLearner::solve_smooth(const Loss& loss, double tolerance) {
  std::vector<std::size_t> all(examples_.outputs());
  std::iota(all.begin(), all.end(), 0);
  Newton::Result r = newton_.minimize(
      loss, at_, all,
      [&](std::size_t k, double value) {
        return std::max(tolerance * value, kScoreRounding * examples_.cost_of_all(k));
      },
      options_.most_steps, watch_);
  if (loss.coupled()) {  // each entry is of all outputs
    r.value.resize(1);
    r.excess.resize(1);
  }
  return in_users_units(r.value, r.excess, r.converged);
}

NewtonLearner::Solution NewtonLearner::solve_nonsmooth(LossChoice loss, double tolerance) {
  AugmentedLagrangian lagrangian(newton_, z_, examples_, std::move(loss));
  const DualitySolution m = lagrangian.solve(tolerance, options_.most_steps, at_, multipliers_, watch_);
  if (!m.separable)
    fail(Error::Kind::data,
         "hard-svm: no hyperplane in {} features separates the classes; use the soft margin (svm), more features or a "
         "smaller bandwidth",
         z_.features());
  std::vector<double> gap = m.primal;
  for (std::size_t k = 0; k < gap.size(); ++k) gap[k] -= m.dual[k];
  return in_users_units(m.primal, gap, m.converged);
}

Coefficients NewtonLearner::head() const {
  const std::size_t K = examples_.outputs(), D = z_.features();
  Coefficients c{Matrix<double>(D, K), center_};
  for (std::size_t k = 0; k < K; ++k) {
    const double unit = in_logs() ? 1 : unit_[k];
    if (in_logs()) c.intercept[k] = std::log(unit_[k]);
    for (std::size_t j = 0; j < D; ++j) c.weights(j, k) = at_.w(k, j) * unit;
    if (z_.intercept()) c.intercept[k] += at_.w(k, z_.intercept_at()) * unit;
  }
  return c;
}

void NewtonLearner::predict(std::size_t row, double* prediction) const {
  for (std::size_t k = 0; k < center_.size(); ++k)
    prediction[k] = (in_logs() ? std::exp(at_.u(row, k)) : at_.u(row, k)) * unit_[k] + center_[k];
}

}  // namespace bochner
