// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "bochner/learner.h"
#include "bochner/schema.h"
#include "learn/newton/multipliers.h"
#include "learn/newton/newton.h"
#include "learn/ridge/normal_equations.h"

namespace bochner {

// One of the learners over rows in memory, solved for one C after another, each from where the last left off.
// Inside, numbers are centred and divided by one unit; C, epsilon, delta and objectives are in the user's units.
class Primal {
 public:
  Primal(const FeatureRows& z, const Schema& schema, const LearnerOptions& options, Threads& threads,
         Newton::Watch watch = {}, Checkpoint* checkpoint = nullptr);

  // Rows that the next solutions do not see; empty: none.
  void hold_out(std::vector<bool> held) { held_ = std::move(held); }

  struct Solution {
    double objective = 0;  // 1/2 |W|^2 + C sum of losses over all outputs
    double excess = 0;     // bound on its distance from the optimum
    bool converged = false;
  };
  Solution solve(double C, double tolerance);

  Coefficients head() const;                                // in the units of the targets
  void predict(std::size_t row, double* prediction) const;  // as head() does, from the scores at hand
  double weight() const { return weight_; }                 // n, or the sum of the weights
  double epsilon() const { return epsilon_; }
  double delta() const { return delta_; }
  const Newton& newton() const { return newton_; }

 private:
  void code_targets(const Schema& schema);
  void choose_delta();
  Solution solve_smooth(const Loss& loss, double tolerance);
  Solution solve_cornered(Corner::Kind kind, double tolerance);
  bool is_regression() const { return options_.learner == Learner::huber || options_.learner == Learner::svr; }

  const FeatureRows& z_;
  LearnerOptions options_;
  Threads& threads_;
  Newton::Watch watch_;
  Examples examples_;
  std::vector<bool> held_;
  std::vector<double> center_;
  double unit_ = 1, weight_ = 0, epsilon_ = 0, delta_ = 0;
  double C_ = 0;  // of the last solution
  Newton newton_;
  Iterate at_;
  Multipliers multipliers_;
};

}  // namespace bochner
