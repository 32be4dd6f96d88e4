// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/fourier_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/require.h"

namespace bochner {

template <class T>
FourierWeights<T> pack_fourier(std::span<const double> omega, std::size_t inputs, std::span<const double> phase,
                               double scale) {
  require(inputs > 0 && !omega.empty() && omega.size() % inputs == 0,
          "fourier weights: {} numbers for {} inputs, expected a whole number of frequencies", omega.size(), inputs);
  FourierWeights<T> w;
  w.inputs = inputs;
  w.frequencies = omega.size() / inputs;
  w.scale = T(scale);
  require(phase.empty() || phase.size() == w.frequencies, "fourier weights: {} phases for {} frequencies", phase.size(),
          w.frequencies);

  constexpr std::size_t kPanel = FourierWeights<T>::kPanel;
  constexpr double kTurnsPerRadian = 0.5 / std::numbers::pi;
  // A Cauchy draw can exceed a float; the largest float has no fraction of a turn either.
  constexpr double kMost = std::numeric_limits<T>::max();
  const std::size_t panels = (w.frequencies + kPanel - 1) / kPanel;
  w.panels.assign(panels * inputs * kPanel, T(0));
  for (std::size_t i = 0; i < w.frequencies; ++i) {
    T* panel = w.panels.data() + (i / kPanel) * inputs * kPanel + i % kPanel;
    for (std::size_t j = 0; j < inputs; ++j) {
      const T turns = T(std::clamp(omega[i * inputs + j] * kTurnsPerRadian, -kMost, kMost));
      panel[j * kPanel] = turns;
      w.largest = std::max(w.largest, std::abs(turns));
    }
  }
  if (!phase.empty()) {
    w.phase.assign(panels * kPanel, T(0));
    for (std::size_t i = 0; i < w.frequencies; ++i) w.phase[i] = T(phase[i] * kTurnsPerRadian);
  }
  return w;
}

template FourierWeights<float> pack_fourier(std::span<const double>, std::size_t, std::span<const double>, double);
template FourierWeights<double> pack_fourier(std::span<const double>, std::size_t, std::span<const double>, double);

}  // namespace bochner
