// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/unseen.h"

#include <algorithm>

namespace bochner {

std::string uncertainty_text(const std::optional<Calibration>& calibration, const std::optional<Intervals>& intervals) {
  return calibration ? "probabilities: " + calibration->text() : "intervals: " + intervals->text();
}

namespace {

// The score has the log-loss of the calibrated probabilities, each row's by what the other rows taught.
void calibrate_classes(const UnseenRows& rows, Fitted& fitted) {
  std::vector<double> log_losses;
  fitted.calibration =
      calibrate(rows.predictions.view(), {rows.targets.data(), rows.targets.rows()}, rows.weights, &log_losses);
  if (!fitted.report.score) return;
  Scorer scorer(Task::classification, rows.predictions.cols());
  for (std::size_t i = 0; i < log_losses.size(); ++i)
    if (rows.weights[i] > 0) scorer.add(&rows.predictions(i, 0), &rows.targets(i, 0), rows.weights[i], log_losses[i]);
  const Score found = scorer.score();
  fitted.report.score->log_loss = found.log_loss;
  fitted.report.score->baseline_log_loss = found.baseline_log_loss;
  fitted.report.score->log_loss_standard_error = found.log_loss_standard_error;
}

}  // namespace

void learn_uncertainty(const UnseenRows& rows, Task task, Fitted& fitted) {
  const auto counts = [](double weight) { return weight > 0; };
  if (std::size_t(std::count_if(rows.weights.begin(), rows.weights.end(), counts)) < kLeastUnseen) return;
  if (task == Task::classification)
    calibrate_classes(rows, fitted);
  else
    fitted.intervals = learn_intervals(rows.predictions.view(), rows.targets.view(), rows.weights);
  fitted.report.notes.push_back(uncertainty_text(fitted.calibration, fitted.intervals));
}

}  // namespace bochner
