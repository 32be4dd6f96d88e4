// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/level_shifts.h"

#include <algorithm>
#include <cstddef>

namespace bochner {

namespace {

// The residual of place t (n + 1), linear between two; weights count as rows of the mean weight.
double at_level(std::vector<std::pair<double, double>> residuals, double level) {
  std::sort(residuals.begin(), residuals.end());
  double total = 0;
  for (const auto& [residual, weight] : residuals) total += weight;
  const double place = level * (total + total / double(residuals.size()));
  double before = 0;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    const auto& [residual, weight] = residuals[i];
    if (before + weight >= place) {
      if (i == 0) return residual;
      return residual - (residual - residuals[i - 1].first) * (before + weight - place) / weight;
    }
    before += weight;
  }
  return residuals.back().first;
}

}  // namespace

void LevelShifts::add(const double* answers, const double* targets, double weight) {
  if (!(weight > 0)) return;
  for (std::size_t k = 0; k < levels_.size(); ++k) residuals_[k].emplace_back(targets[k] - answers[k], weight);
}

std::vector<double> LevelShifts::shifts() const {
  std::vector<double> shifts;
  for (std::size_t k = 0; k < levels_.size(); ++k) shifts.push_back(at_level(residuals_[k], levels_[k]));
  return shifts;
}

std::vector<double> LevelShifts::below() const {
  std::vector<double> shares;
  for (const auto& residuals : residuals_) {
    double below = 0, total = 0;
    for (const auto& [residual, weight] : residuals) {
      total += weight;
      if (residual <= 0) below += weight;
    }
    shares.push_back(below / total);
  }
  return shares;
}

}  // namespace bochner
