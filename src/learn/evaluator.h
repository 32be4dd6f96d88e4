// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>
#include <vector>

#include "bochner/evaluation.h"
#include "learn/score.h"

namespace bochner {

// Gathers an Evaluation row by row. Memory is bounded whatever the number of rows.
class Evaluator {
 public:
  // names: of the targets of a regression, or the labels of the classes.
  // power: see Scorer.
  Evaluator(Task task, std::size_t outputs, std::vector<std::string> names, std::optional<double> power = {});

  // probabilities: of the classes, where the scores stand for some; otherwise null.
  void add(const double* prediction, const double* target, double weight, const double* probabilities);
  Evaluation evaluation() const;

 private:
  void add_class(const double* scores, std::size_t label, double weight, const double* probabilities);
  void add_promise(std::size_t label, double weight, const double* probabilities);
  void add_cuts(std::size_t label, double weight, double probability);
  void finish_classes(Evaluation& result) const;

  Task task_;
  std::size_t outputs_;
  std::vector<std::string> names_;
  Scorer all_;
  std::vector<Scorer> each_;       // one per target, if there are several
  std::vector<double> largest_;    // each target's largest size
  std::vector<double> confusion_;  // classes x classes; empty where there are too many
  std::vector<double> of_class_, answered_, right_;
  bool has_probabilities_ = false;
  double weight_ = 0, brier_ = 0;
  std::vector<Evaluation::Promise> promises_;  // sums
  std::vector<Evaluation::Cut> cuts_;          // sums too: of the class, right, flagged
};

}  // namespace bochner
