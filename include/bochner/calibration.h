// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   Model model = Model::load("adult.model");
//   const auto unseen = open_rows("others.csv", model.schema());  // rows that the training did not see
//   model.learn_uncertainty(*unseen);                             // probabilities of classes, intervals of numbers
//   model.save("sure.model");
//   if (model.calibration()) std::puts(model.calibration()->text().c_str());

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "bochner/matrix.h"

namespace bochner {

// Probabilities from the scores of classes, learnt on rows that the training did not see:
//   q = softmax(slope u + shift),  u the scores; of two classes (0, score of the second)      (Platt 2000; Guo et al.
//   2017) p_c = curve(q_c) / sum over c, where a monotone curve lowers the log-loss                 (Zadrozny & Elkan
//   2002)
// Of two classes the curve is one of the second's probability, and nothing is divided.
struct Calibration {
  double slope = 1;
  std::vector<double> shift = {};                   // one per class; of two classes one, for the second
  std::vector<double> given = {}, calibrated = {};  // points of the curve, linear between; both ascend. Empty: none
  double rows = 0;                                  // number of rows it was learnt from
  double log_loss = 0;                              // mean over these rows, each judged by what the others taught

  // scores: as many as shift; of_classes: one per class. They may be the same memory where both have as many.
  void apply(const double* scores, double* of_classes) const;
  std::size_t classes() const { return shift.size() == 1 ? 2 : shift.size(); }
  std::string text() const;  // "temperature on 1000 rows held out, log-loss 0.2120"
  bool operator==(const Calibration&) const = default;
};

// The calibration of least log-loss in a cross-validation of these rows: with the curve or without.
// scores: rows x (1 for two classes, otherwise classes); labels: numbers of classes; weights: none: all 1.
// log_losses: if given, -log p(label) of every row, each judged by what the others taught; NaN for rows of weight 0.
Calibration calibrate(MatrixView<const double> scores, std::span<const double> labels,
                      std::span<const double> weights = {}, std::vector<double>* log_losses = nullptr);

}  // namespace bochner
