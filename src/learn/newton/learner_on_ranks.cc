// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/newton/learner_on_ranks.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/require.h"
#include "folds/gram_and_held.h"
#include "learn/choice.h"
#include "learn/choose_C.h"
#include "learn/newton/loss_fold.h"
#include "learn/newton/newton_learner.h"
#include "learn/newton/residual_scale.h"
#include "learn/ridge/held_search.h"
#include "learn/ridge/normal_equations.h"
#include "learn/ridge/ridge.h"
#include "solve/fixed_order.h"
#include "solve/lbfgs.h"

namespace bochner {

namespace {

constexpr double kChoiceShare = 1e-4;  // where C is chosen

// Coordinates x of a head: W = L^-T x / root(C k) where Gc + I / (C k) = L L^T, about the mean features; the intercept
// in units of its own.
class Coordinates {
 public:
  Coordinates(const NormalEquations& equations, double curvature, Threads& threads)
      : mean_(equations.feature_mean), scale_(1 / std::sqrt(curvature)), intercept_(equations.intercept) {
    const Cholesky factor = equations.shifted_factor(1 / curvature, threads);
    if (const auto column = factor.failed_column())
      fail(Error::Kind::data, "learner: the features' sums are not positive definite at column {}; lower C", *column);
    inverse_ = factor.inverse_factor(threads);
    of_intercept_ = scale_ / std::sqrt(equations.weight);
  }

  std::size_t length() const { return inverse_.rows() + (intercept_ ? 1 : 0); }

  // The head at x, length() numbers for each output.
  void head(std::span<const double> x, LossAt& at) const {
    const std::size_t D = inverse_.rows(), K = at.intercept.size();
    Matrix<double> packed(D, K);
    for (std::size_t k = 0; k < K; ++k)
      for (std::size_t j = 0; j < D; ++j) packed(j, k) = x[k * length() + j] * scale_;
    fixed_order::transposed_multiply(inverse_.view(), packed.view(), at.weights.view());
    for (std::size_t k = 0; k < K; ++k) {
      at.intercept[k] = intercept_ ? x[k * length() + D] * of_intercept_ : 0;
      for (std::size_t j = 0; j < D; ++j) at.intercept[k] -= mean_[j] * at.weights(j, k);
    }
  }

  // The gradient in x of the objective whose loss has these slopes.
  void gradient(const LossFold& sums, const Matrix<double>& weights, std::span<double> to) const {
    const std::size_t D = inverse_.rows(), K = weights.cols();
    Matrix<double> of_weights(D, K), of_x(D, K);
    for (std::size_t k = 0; k < K; ++k) {
      const double constant = sums.slope_of_intercept(k);
      for (std::size_t j = 0; j < D; ++j) of_weights(j, k) = weights(j, k) + sums.slope(j, k) - mean_[j] * constant;
      if (intercept_) to[k * length() + D] = constant * of_intercept_;
    }
    fixed_order::multiply(inverse_.view(), of_weights.view(), of_x.view());
    for (std::size_t k = 0; k < K; ++k)
      for (std::size_t j = 0; j < D; ++j) to[k * length() + j] = of_x(j, k) * scale_;
  }

 private:
  std::vector<double> mean_;
  double scale_, of_intercept_ = 1;
  bool intercept_;
  Matrix<double> inverse_;  // L^-1
};

class RanksFit {
 public:
  RanksFit(const Stream& stream, const Survey& survey, const LearnerOptions& options)
      : stream_(stream),
        survey_(survey),
        options_(options),
        row_(learner_row(options.learner)),
        code_(target_code(stream.schema(), survey, options.intercept)),
        loss_{row_, options.loss, {}},
        fraction_(options.C.size() + options.lambdas.size() == 1 ? 0 : fraction_held_out(double(survey.rows()))),
        sums_(gram_and_held(stream, survey, ridge_options(options), code_, fraction_, false)),
        equations_(sums_.gram, options.intercept) {
    for (double& C : options_.C) C *= survey.weight_unit();
    standardize();
  }

  Fitted run() {
    choose_parameter();
    const double C = choose();
    const double share = options_.tolerance.value_or(kLearnerTolerance);
    const Solution found = solve(C, 0, share);
    const Coefficients head = in_users_units(*found.at);
    fitted_.head = linear(head.weights, head.intercept);
    describe(C, found, share);
    return std::move(fitted_);
  }

 private:
  struct Solution {
    std::shared_ptr<LossAt> at;
    LbfgsResult result;
  };

  static RidgeOptions ridge_options(const LearnerOptions& options) {
    RidgeOptions ridge;
    ridge.seed = options.seed;
    ridge.intercept = options.intercept;
    return ridge;
  }

  // Numbers lose their mean and are divided by their deviation; classes are -1 and +1.
  void standardize() {
    const std::size_t K = code_.columns();
    center_.assign(K, 0.0);
    unit_.assign(K, 1.0);
    if (code_.task == Task::classification) return;
    const double n = sums_.gram.weight();
    for (std::size_t k = 0; k < K; ++k) {
      const double mean = sums_.gram.target_sum(k, K) / n;
      if (options_.intercept) center_[k] = mean;
      const double variance = sums_.gram.target_sum(k, k) / n - (2 * mean - center_[k]) * center_[k];
      if (variance > kConstantTarget) unit_[k] = std::sqrt(variance);
    }
  }

  // Epsilon and delta in deviations. A delta that nobody gave goes by the residuals of the rows held out.
  void choose_parameter() {
    if (!row_.parameter) return;
    const std::size_t K = code_.columns();
    for (std::size_t k = 0; k < K; ++k) {
      const double whole = row_.parameter->is_of_target ? unit_[k] * user_unit(k) : 1;
      loss_.parameter.push_back(options_.parameter ? *options_.parameter / whole : row_.parameter->initial);
    }
    if (options_.learner != Learner::huber || options_.parameter || sums_.held.rows() == 0) return;
    const double C = given_C(options_, sums_.gram.weight()).empty() ? 1 : given_C(options_, sums_.gram.weight())[0];
    for (int round = 0; round < 2; ++round) {
      const Solution found = solve(C, fraction_, kChoiceShare);
      for (std::size_t k = 0; k < K; ++k)
        loss_.parameter[k] = std::max(row_.parameter->initial * residual(*found.at, k), 1e-6);
    }
  }

  double user_unit(std::size_t k) const { return code_.task == Task::regression ? code_.unit[k] : 1; }

  // visit(scores, targets, weight) for each row held out.
  template <class Visit>
  void each_held(const LossAt& at, const Visit& visit) const {
    if (stream_.precision() == Precision::float32)
      each_of(sums_.held.block<float>(), at, visit);
    else
      each_of(sums_.held.block<double>(), at, visit);
  }
  template <class T, class Visit>
  void each_of(const RowBlock<T>& rows, const LossAt& at, const Visit& visit) const {
    Matrix<double> z(rows.rows, rows.cols), u(rows.rows, at.intercept.size());
    for (std::size_t i = 0; i < rows.rows; ++i) std::copy_n(rows.values + i * rows.stride, rows.cols, &z(i, 0));
    fixed_order::multiply(z.view(), at.weights.view(), u.view());
    for (std::size_t i = 0; i < rows.rows; ++i) {
      for (std::size_t k = 0; k < at.intercept.size(); ++k) u(i, k) += at.intercept[k];
      visit(&u(i, 0), rows.targets + i * rows.target_count, rows.weights ? rows.weights[i] : 1.0);
    }
  }

  double residual(const LossAt& at, std::size_t k) const {
    std::vector<double> all;
    each_held(at, [&](const double* u, const double* targets, double weight) {
      const double y = (code_.encode(targets, k) - center_[k]) / unit_[k];
      if (weight > 0) all.push_back(std::abs(y - u[k]));
    });
    return all.empty() ? 0 : robust_deviation(std::move(all));
  }

  double choose() {
    const std::vector<double> given = given_C(options_, sums_.gram.weight());
    if (given.size() == 1 || sums_.held.rows() == 0) return given.empty() ? 1 : given[0];
    std::vector<double> units;
    for (std::size_t k = 0; k < unit_.size(); ++k) units.push_back(unit_[k] * user_unit(k));
    const std::vector<TrialOfC> trials = try_path(given, [&](double C) {
      const Solution found = solve(C, fraction_, kChoiceShare);
      ChoiceOfC choice(code_.task, units, loss_);
      std::vector<double> answer(unit_.size());
      each_held(*found.at, [&](const double* u, const double* targets, double weight) {
        for (std::size_t k = 0; k < answer.size(); ++k) answer[k] = answer_of(u[k], k);
        choice.add(answer.data(), targets, weight);
      });
      return TrialOfC{C, choice.loss(), choice.score()};
    });
    const auto best = std::min_element(trials.begin(), trials.end(),
                                       [](const TrialOfC& a, const TrialOfC& b) { return a.loss < b.loss; });
    fitted_.report.score = best->score;
    fitted_.report.validation = "held out";
    for (const TrialOfC& trial : trials) fitted_.report.path.push_back({lambda_of(trial.C), trial.score});
    return best->C;
  }

  double lambda_of(double C) const { return 1 / (C * sums_.gram.weight()); }
  double answer_of(double u, std::size_t k) const {
    const double coded = u * unit_[k] + center_[k];
    return code_.task == Task::regression ? coded * code_.unit[k] + code_.center[k] : coded;
  }

  std::shared_ptr<LossAt> start(double C, double fraction) const {
    const std::size_t K = code_.columns();
    return std::make_shared<LossAt>(LossAt{.loss = loss_,
                                           .code = code_,
                                           .center = center_,
                                           .unit = unit_,
                                           .C = C,
                                           .fraction = fraction,
                                           .seed = options_.seed,
                                           .weights = Matrix<double>(stream_.features(), K),
                                           .intercept = std::vector<double>(K)});
  }

  Solution solve(double C, double fraction, double share) {
    Solution found{start(C, fraction), {}};
    const double steepest = found.at->softmax() ? 0.5 : row_.steepest;
    const Coordinates in(equations_, C * steepest, stream_.threads());
    std::vector<double> x(in.length() * code_.columns());
    const SmoothFunction objective = [&](std::span<const double> at_x, std::span<double> gradient) {
      in.head(at_x, *found.at);
      const LossFold sums = stream_.fold(LossFold(found.at), fmt::format("pass {}", ++passes_));
      double value = sums.value();
      const Matrix<double>& w = found.at->weights;
      for (std::size_t i = 0; i < w.rows() * w.cols(); ++i) value += 0.5 * w.data()[i] * w.data()[i];
      in.gradient(sums, w, gradient);
      return value;
    };
    found.result = lbfgs(objective, x,
                         {.memory = 20,
                          .most_iterations = std::size_t(std::max(options_.most_steps, 1)),
                          .share = share,
                          .first_step = HUGE_VAL});
    in.head(x, *found.at);
    return found;
  }

  Coefficients in_users_units(const LossAt& at) const {
    Coefficients head{at.weights, at.intercept};
    for (std::size_t k = 0; k < unit_.size(); ++k) {
      for (std::size_t j = 0; j < at.weights.rows(); ++j) head.weights(j, k) *= unit_[k];
      head.intercept[k] = head.intercept[k] * unit_[k] + center_[k];
    }
    return decode(std::move(head), code_);
  }

  void describe(double C, const Solution& found, double share) {
    Report& report = fitted_.report;
    report.rows = survey_.rows();
    report.inputs = stream_.schema().inputs;
    report.features = stream_.features();
    report.learner = row_.name;
    report.solver = "lbfgs";
    report.lambda = lambda_of(C);
    report.notes.push_back(fmt::format("C: {:.6g}", C / survey_.weight_unit()));
    if (row_.parameter) {
      std::vector<double> users = loss_.parameter;
      for (std::size_t k = 0; k < users.size() && row_.parameter->is_of_target; ++k)
        users[k] *= unit_[k] * user_unit(k);
      report.notes.push_back(fmt::format("{}: {:.6g}", row_.parameter->name, fmt::join(users, ", ")));
    }
    report.notes.push_back(
        fmt::format("{} passes over the rows; the last objective {:.10g}", passes_, found.result.value));
    if (found.result.converged) return;
    report.termination = Termination::step_limit;
    report.notes.push_back(
        fmt::format("not converged: {} steps still lowered the objective by more than {:g} of itself",
                    found.result.iterations, share));
  }

  const Stream& stream_;
  const Survey& survey_;
  LearnerOptions options_;
  const LearnerRow& row_;
  TargetCode code_;
  LossChoice loss_;
  double fraction_;
  GramAndHeld sums_;
  NormalEquations equations_;
  std::vector<double> center_, unit_;
  std::size_t passes_ = 0;
  Fitted fitted_;
};

}  // namespace

std::string no_ranks(const LearnerOptions& options) {
  const LearnerRow& row = learner_row(options.learner);
  if (row.power) return "its answers are powers of e, whose unit is the mean of all targets";
  if (options.learner == Learner::ridge || LossChoice{row, options.loss, {}}.is_smooth()) return "";
  if (row.curve) return "its loss has a corner, whose multipliers are one for each row; take the squared loss";
  return row.no_parts;
}

Fitted learner_on_ranks(const Stream& stream, const Survey& survey, const LearnerOptions& options) {
  return RanksFit(stream, survey, options).run();
}

}  // namespace bochner
