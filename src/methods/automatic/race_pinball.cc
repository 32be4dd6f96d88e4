// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <numeric>

#include "learn/level_shifts.h"
#include "methods/automatic/pinball_blend.h"
#include "methods/automatic/race.h"

namespace bochner {

// Each target's machines of use, weighed anew.
FinalBlend RaceRows::by_pinball(std::span<const Candidate> candidates, Numbers rows, double level) const {
  FinalBlend out = by_squares(candidates, rows);
  std::vector<double> y(rows.size()), w(rows.size());
  for (std::size_t k = 0; k < y_.cols(); ++k) {
    std::vector<std::size_t> support;
    std::vector<double> start;
    for (std::size_t j = 0; j < out.weights.rows(); ++j)
      if (out.weights(j, k) > 0) {
        support.push_back(j);
        start.push_back(out.weights(j, k));
      }
    Matrix<double> p(rows.size(), support.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      y[i] = y_(held_[rows[i]], k);
      w[i] = weight(held_[rows[i]]);
      for (std::size_t s = 0; s < support.size(); ++s) p(i, s) = candidates[support[s]].held(rows[i], k);
    }
    const PinballBlend found = pinball_blend(p, y, w, level, std::move(start));
    out.shift[k] = found.shift;
    for (std::size_t s = 0; s < support.size(); ++s) out.weights(support[s], k) = found.weights[s];
  }
  return out;
}

FinalBlend RaceRows::conclude_by_pinball(std::span<const Candidate> candidates, double level) const {
  std::vector<std::size_t> all(held_.size());
  std::iota(all.begin(), all.end(), std::size_t(0));
  Matrix<double> held(held_.size(), y_.cols());
  for (std::size_t part = 0; part < kCrosswiseParts; ++part) {
    std::vector<std::size_t> others, own;
    for (std::size_t p = 0; p < held_.size(); ++p) (crosswise_[p] == part ? own : others).push_back(p);
    const Matrix<double> found = blended(candidates, by_pinball(candidates, others, level));
    for (const std::size_t p : own)
      for (std::size_t k = 0; k < y_.cols(); ++k) held(p, k) = found(p, k);
  }
  FinalBlend blend = by_pinball(candidates, all, level);
  blend.held = held;
  // Weights and constant fit the rows that chose them, and new rows less: the answers move by rows that others chose
  // them for, and those of a part by the rows of other parts.
  for (std::size_t k = 0; k < y_.cols(); ++k) {
    const auto shift_without = [&](std::size_t part) {
      LevelShifts shifts({level});
      for (const std::size_t p : all)
        if (crosswise_[p] != part) shifts.add(&held(p, k), &y_(held_[p], k), weight(held_[p]));
      return shifts.empty() ? 0.0 : shifts.shifts()[0];
    };
    blend.shift[k] += shift_without(kCrosswiseParts);
    for (std::size_t part = 0; part < kCrosswiseParts; ++part) {
      const double shift = shift_without(part);
      for (const std::size_t p : all)
        if (crosswise_[p] == part) blend.held(p, k) += shift;
    }
  }
  blend.name = level == 0.5 ? " by absolute error" : fmt::format(" by the quantile {:g}", level);
  return blend;
}

}  // namespace bochner
