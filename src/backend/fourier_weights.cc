// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/fourier_weights.h"

#include <algorithm>
#include <numbers>

#include "base/require.h"

namespace bochner {

template <class T>
FourierWeights<T> pack_fourier(std::span<const double> omega, std::size_t inputs, std::span<const double> phase,
                               double scale) {
  constexpr std::size_t kPanel = FourierWeights<T>::kPanel;
  require(inputs > 0 && omega.size() % inputs == 0, "fourier weights: {} entries are no whole rows of {} inputs",
          omega.size(), inputs);
  const std::size_t frequencies = omega.size() / inputs;
  require(phase.empty() || phase.size() == frequencies, "fourier weights: {} phases for {} frequencies", phase.size(),
          frequencies);

  FourierWeights<T> w;
  w.inputs = inputs;
  w.frequencies = frequencies;
  w.scale = T(scale);
  const std::size_t panel_count = (frequencies + kPanel - 1) / kPanel;
  w.panels.resize(panel_count * inputs * kPanel);
  for (std::size_t p = 0; p < panel_count; ++p) {
    T* panel = w.panels.data() + p * inputs * kPanel;
    const std::size_t used = std::min(kPanel, frequencies - p * kPanel);
    const double* rows = omega.data() + p * kPanel * inputs;
    for (std::size_t j = 0; j < inputs; ++j) {
      for (std::size_t i = 0; i < used; ++i) panel[j * kPanel + i] = T(rows[i * inputs + j] / std::numbers::pi);
      for (std::size_t i = used; i < kPanel; ++i) panel[j * kPanel + i] = 0;
    }
  }
  if (!phase.empty()) {
    w.phase.assign(panel_count * kPanel, T(0));
    for (std::size_t i = 0; i < frequencies; ++i) w.phase[i] = T(phase[i] / std::numbers::pi);
  }
  return w;
}

template FourierWeights<float> pack_fourier(std::span<const double>, std::size_t, std::span<const double>, double);
template FourierWeights<double> pack_fourier(std::span<const double>, std::size_t, std::span<const double>, double);

}  // namespace bochner
