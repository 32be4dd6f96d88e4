// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/drawn.h"

#include <algorithm>
#include <numbers>

#include "backend/hadamard_loop.h"
#include "maps/fourier.h"
#include "methods/bins/draw_grid.h"

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

template <class T>
void add_grid(const Grid<T>& grid, std::size_t g, DrawnGrids& all) {
  std::copy(grid.shift.begin(), grid.shift.end(), &all.shift(g, 0));
  std::copy(grid.per_pitch.begin(), grid.per_pitch.end(), &all.per_pitch(g, 0));
  std::copy(grid.low.begin(), grid.low.end(), &all.low(g, 0));
  std::copy(grid.high.begin(), grid.high.end(), &all.high(g, 0));
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

DrawnGrids drawn_grids(std::size_t inputs, const BinningOptions& options, std::span<const std::uint64_t> draws,
                       bool double_precision) {
  check_binning(inputs, options);
  DrawnGrids all{Matrix<double>(draws.size(), inputs), Matrix<double>(draws.size(), inputs),
                 Matrix<std::uint32_t>(draws.size(), inputs), Matrix<std::uint32_t>(draws.size(), inputs)};
  for (std::size_t g = 0; g < draws.size(); ++g) {
    if (double_precision)
      add_grid(draw_grid<double>(inputs, options, draws[g]), g, all);
    else
      add_grid(draw_grid<float>(inputs, options, draws[g]), g, all);
  }
  return all;
}

}  // namespace bochner
