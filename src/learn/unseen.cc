// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/unseen.h"

#include <algorithm>

namespace bochner {

std::string uncertainty_text(const std::optional<Calibration>& calibration, const std::optional<Intervals>& intervals) {
  return calibration ? "probabilities: " + calibration->text() : "intervals: " + intervals->text();
}

void learn_uncertainty(const UnseenRows& rows, Task task, Fitted& fitted) {
  const auto counts = [](double weight) { return weight > 0; };
  if (std::size_t(std::count_if(rows.weights.begin(), rows.weights.end(), counts)) < kLeastUnseen) return;
  if (task == Task::classification)
    fitted.calibration = calibrate(rows.predictions.view(), {rows.targets.data(), rows.targets.rows()}, rows.weights);
  else
    fitted.intervals = learn_intervals(rows.predictions.view(), rows.targets.view(), rows.weights);
  fitted.report.notes.push_back(uncertainty_text(fitted.calibration, fitted.intervals));
}

}  // namespace bochner
