// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>
#include <vector>

#include "learn/ridge/ridge.h"

namespace bochner {

// The share of the rows that is held out to judge machines and how sure they may be, and the most rows that are.
inline constexpr double kHeldShare = 0.15;
inline constexpr std::size_t kMostHeld = 10000;
// Fewer rows teach nothing about how sure to be.
inline constexpr std::size_t kLeastUnseen = 20;

// What a machine said of rows that it had not seen. Weights are those of the file: a calibration for the weights of
// classes would promise what the rows do not hold.
struct UnseenRows {
  Matrix<double> predictions, targets;  // a class target is the number of its label
  std::vector<double> weights;
};

// Calibration or intervals of a head whose kin predicted these rows; said in the notes of its report.
void learn_uncertainty(const UnseenRows& rows, Task task, Fitted& fitted);

// "probabilities: ..." or "intervals: ...", whichever there is.
std::string uncertainty_text(const std::optional<Calibration>& calibration, const std::optional<Intervals>& intervals);

}  // namespace bochner
