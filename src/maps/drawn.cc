// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/drawn.h"

#include <algorithm>
#include <numbers>

#include "backend/hadamard_loop.h"
#include "maps/fourier.h"

namespace bochner {

namespace {

constexpr double kTurn = 2 * std::numbers::pi;

// The panels of the weights, unpacked.
Matrix<double> unpacked(const FourierWeights<double>& w) {
  constexpr std::size_t kPanel = FourierWeights<double>::kPanel;
  Matrix<double> omega(w.frequencies, w.inputs);
  for (std::size_t i = 0; i < w.frequencies; ++i)
    for (std::size_t j = 0; j < w.inputs; ++j)
      omega(i, j) = kTurn * w.panels[(i / kPanel * w.inputs + j) * kPanel + i % kPanel];
  return omega;
}

// What the transforms make of each unit vector.
Matrix<double> formed(const StructuredWeights<double>& w) {
  constexpr std::size_t kStages = 3;
  Matrix<double> omega(w.frequencies, w.inputs);
  std::vector<double> row(w.width);
  for (std::size_t block = 0; block * w.width < w.frequencies; ++block)
    for (std::size_t j = 0; j < w.inputs; ++j) {
      const double* const signs = w.signs.data() + block * kStages * w.width;
      std::fill(row.begin(), row.end(), 0.0);
      row[j] = 1;
      for (std::size_t stage = 0; stage < kStages; ++stage) {
        for (std::size_t k = 0; k < w.width; ++k) row[k] *= signs[stage * w.width + k];
        hadamard_loop(row.data(), w.width);
      }
      const std::size_t first = block * w.width, count = std::min(w.width, w.frequencies - first);
      for (std::size_t i = 0; i < count; ++i) omega(first + i, j) = kTurn * row[i] * w.factor[first + i];
    }
  return omega;
}

}  // namespace

DrawnFrequencies drawn_frequencies(std::size_t inputs, const FourierOptions& options) {
  const FourierMap map(inputs, options);
  DrawnFrequencies drawn;
  drawn.scale = map.bound();
  const std::size_t F = map.frequencies();
  const auto take = [&](Matrix<double> omega, const AlignedVector<double>& turns) {
    drawn.omega = std::move(omega);
    for (std::size_t i = 0; i < F && !turns.empty(); ++i) drawn.phase.push_back(kTurn * turns[i]);
  };
  if (options.draw == FourierOptions::Draw::structured) {
    const auto weights = structured_weights<double>(inputs, options, F, drawn.scale);
    take(formed(weights), weights.phase);
  } else {
    take(unpacked(map.weights<double>()), map.weights<double>().phase);
  }
  return drawn;
}

}  // namespace bochner
