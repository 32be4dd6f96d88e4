// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <vector>

#include "bochner/learner.h"
#include "learn/newton/losses.h"
#include "learn/score.h"

namespace bochner {

// The share of the rows that is held out to choose C.
double fraction_held_out(double rows);

// What chooses C: for probabilities the log-loss; for classes the error and, to break ties, the squared error of the
// scores brought into (-1, 1); for numbers the loss itself or the mean absolute error, which outliers do not rule, in
// each target's unit.
class ChoiceOfC {
 public:
  ChoiceOfC(Task task, std::vector<double> units, LossChoice loss)
      : task_(task),
        probabilities_(loss.row.probabilities),
        loss_(std::move(loss)),
        units_(std::move(units)),
        scorer_(task, units_.size()),
        squashed_(task, units_.size(), 0),
        row_(units_.size()) {}

  void add(const double* prediction, const double* target, double weight);
  Score score() const { return scorer_.score(); }
  double loss() const { return task_ == Task::classification && !probabilities_ ? squashed_.loss() : sum_ / weight_; }
  double below() const { return below_ / weight_ / double(row_.size()); }  // the share of targets at or below

 private:
  void add_number(std::size_t k, double prediction, double target, double weight);

  Task task_;
  bool probabilities_;
  LossChoice loss_;
  std::vector<double> units_;
  Scorer scorer_, squashed_;
  std::vector<double> row_;
  double weight_ = 0, sum_ = 0, below_ = 0;
};

struct TrialOfC {
  double C = 0, loss = 0, below = 0;
  Score score;
};

// Every C given, in their order; or half-decades from 1 until the loss turns, which it has not while it is flat: a head
// that does not see the rows yet.
std::vector<TrialOfC> try_path(const std::vector<double>& given, const std::function<TrialOfC(double)>& evaluate);

// The values of C to try; a hard margin has one, of no effect.
std::vector<double> given_C(const LearnerOptions& options, double weight);

}  // namespace bochner
