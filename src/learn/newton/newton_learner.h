// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>
#include <vector>

#include "bochner/learner.h"
#include "bochner/schema.h"
#include "learn/newton/augmented_lagrangian.h"
#include "learn/newton/newton.h"
#include "learn/ridge/normal_equations.h"

namespace bochner {

// Scores of a row: of several quantiles as many, otherwise as the schema says.
std::size_t learner_outputs(const Schema& schema, const LearnerOptions& options);
// Whether bounded features may be kept as 16-bit numbers, whose rounding moves a soft margin's objective by some 1e-7.
// Hard margins, and numbers that may be met exactly, feel it.
bool rounds_features(const LearnerOptions& options);
// Fails where the target is none that a loss with a power allows: "row 17: target y: found -1, ...". rows: their name.
void check_amount(const LossChoice& loss, double y, const std::string& target, const char* rows, std::size_t row);
constexpr double kLearnerTolerance = 1e-6;  // relative to the objective, if none is given

// One of the learners over a store of features, solved for one C after another, each from where the last left off.
// Inside, each target is centred and divided by its deviation, its unit; epsilon, delta, coefficients and objectives
// are given and told in the user's units. Targets whose loss has a power are divided by their mean.
class NewtonLearner {
 public:
  NewtonLearner(const Design& z, const Schema& schema, const LearnerOptions& options, Newton::Watch watch = {},
                Checkpoint* checkpoint = nullptr);

  void begin_at(const Coefficients& head);  // the next solution begins there, not at 0

  // Rows that the next solutions do not see; empty: none.
  void hold_out(std::vector<bool> held) { held_ = std::move(held); }

  struct Solution {
    double objective = 0;  // 1/2 |W|^2 + C sum of losses over all outputs
    double excess = 0;     // bound on its distance from the optimum
    bool converged = false;
  };
  // C in the user's units, or in each target's own: where svr's loss grows as the target does, while |w|^2 grows as its
  // square, C goes with the unit. Other losses have the same C in every unit.
  enum class Units { of_user, of_target };
  Solution solve(double C, double tolerance, Units units = Units::of_user);
  // What C is in the user's units, for each target.
  std::vector<double> users_C(double C, Units units) const;

  Coefficients head() const;                                // units of the targets
  void predict(std::size_t row, double* prediction) const;  // as head() does, from the scores at hand
  double weight() const { return weight_; }                 // n, or the sum of the weights
  // Each target's deviation; its mean if the row has a power; 1 for classes.
  const std::vector<double>& units() const { return unit_; }
  LossChoice loss() const;                                             // lengths in the targets' deviations
  const std::vector<double>& parameter() const { return parameter_; }  // one per output, in the user's units
  const Newton& newton() const { return newton_; }

 private:
  void code_targets(const Schema& schema);
  void code_numbers(std::size_t k, std::size_t target);
  void code_means(std::size_t k, const std::string& name);
  bool in_logs() const { return row_.power != nullptr; }  // scores are logarithms of answers over their unit
  void choose_delta();
  Solution solve_smooth(const Loss& loss, double tolerance);
  Solution solve_nonsmooth(LossChoice loss, double tolerance);
  Solution in_users_units(const std::vector<double>& value, const std::vector<double>& excess, bool converged) const;

  const Design& z_;
  LearnerOptions options_;
  const LearnerRow& row_;
  Newton::Watch watch_;
  Examples examples_;
  std::vector<bool> held_;
  std::vector<double> center_, unit_, parameter_;  // one per output
  double weight_ = 0;
  double C_ = 0;  // the last solution's
  Newton newton_;
  Iterate at_;
  Multipliers multipliers_;
};

}  // namespace bochner
