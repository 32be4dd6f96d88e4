// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const Model model = Model::load("cars.model");
//   const auto rows = open_rows("new.csv", model.schema());
//   const Evaluation found = model.examine(*rows);
//   std::puts(found.text(true).c_str());

#include <optional>
#include <string>
#include <vector>

#include "bochner/report.h"

namespace bochner {

// A score in detail. Sums are of the rows' weights, which are 1 where they have none.
struct Evaluation {
  Score score;

  std::optional<double> log_likelihood;  // models that are densities: the mean of log p(x) over the rows

  // Regression: the score of each target, where there are several.
  std::vector<std::string> targets;
  std::vector<Score> per_target;

  // Classification, in the order of the labels. What a class without rows leaves open is NaN.
  std::vector<std::string> labels;
  std::vector<std::vector<double>> confusion;  // [true class][answered class]; empty beyond 1000 classes
  std::vector<double> recall;                  // share of a class's rows that were answered so
  std::vector<double> precision;               // share of the rows answered so that are of the class
  std::vector<double> f1_per_class;            // 2 p r / (p + r)
  std::optional<double> f1;                    // f1 of the second of two classes; the mean over more
  bool auc_is_exact = true;     // false: too many rows to sort, scores equal to about one part in 1000 are ties
  std::optional<double> brier;  // probabilities: mean (p - y)^2 of the second of two classes, summed over more

  // Calibration: how far the share of rows that are of a class lies from the probability that was given, over 15 bins
  // of the probability. It is that of the second of two classes, or of the likeliest of more.
  struct Promise {
    double promised = 0, found = 0, weight = 0;
  };
  std::vector<Promise> promises;            // the bins that have rows, ascending
  std::optional<double> calibration_error;  // expected: the mean |promised - found|

  // Thresholds on the probability of the second of two classes: rows at or above a threshold are flagged.
  struct Cut {
    double threshold = 0;
    double recall = 0, precision = 0;  // NaN where no row is of the class, or flagged
    double flagged = 0;                // the rows' weight
  };
  std::vector<Cut> cuts;

  // The second of two classes, from the rows of the largest scores on: the share of its rows that were found, of the
  // other's that were taken for it (the ROC curve is recall over that), and of the rows taken that are of the class.
  // Some hundred points; empty where a class has no rows, or where there were too many rows.
  struct RankingPoint {
    double recall = 0, false_alarms = 0, precision = 1;
  };
  std::vector<RankingPoint> ranking;

  // Regression: how many of the rows lie in the model's intervals of this level, where it has some; a target each.
  struct Coverage {
    double level = 0, inside = 0, width = 0;  // width: the mean
  };
  std::vector<Coverage> coverage;

  // Several quantiles of a target: the share of the rows at or below each answer, and its pinball loss.
  struct Level {
    double level = 0, below = 0, loss = 0;
  };
  std::vector<Level> levels;

  // One line, then what else there is; with_matrix: the confusion matrix and a line per class too.
  std::string text(bool with_matrix) const;
};

}  // namespace bochner
