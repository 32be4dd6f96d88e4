// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "bochner/report.h"
#include "bochner/schema.h"

namespace bochner {

// Adds up predictions against targets, row by row. Rows must come in a fixed order.
class Scorer {
 public:
  // outputs: columns of a prediction (targets, or 1 score for two classes, or one score per class).
  Scorer(Task task, std::size_t outputs)
      : task_(task), outputs_(outputs), sum_(outputs), sum_squares_(outputs), squares_(outputs) {}

  // prediction: decoded, as the model gives it; target: class index or values.
  void add(const double* prediction, const double* target, double weight = 1);

  Score score() const;
  // What lambda and bandwidth are chosen by: the error plus a quarter of the squared error of the scores, which
  // breaks the ties of few rows; the squared error relative to the targets' variance for regression.
  double loss() const;

 private:
  Task task_;
  std::size_t outputs_;
  std::uint64_t rows_ = 0;
  double weight_ = 0, wrong_ = 0;
  std::vector<double> sum_, sum_squares_, squares_;  // of targets, of targets squared, of residuals squared
};

inline double weight_of(const double* weights, std::size_t i) { return weights ? weights[i] : 1.0; }

// The class a row of scores names.
std::size_t predicted_class(const double* scores, std::size_t outputs);

}  // namespace bochner
