// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <span>

#include "base/aligned.h"

namespace bochner {

// Frequencies in the layout the fused kernel reads: panels of kPanel frequencies, each panel inputs x kPanel,
// zero-padded. Everything is divided by 2 pi, so the product counts turns and range reduction is one rounding.
template <class T>
struct FourierWeights {
  static constexpr std::size_t kPanel = 16;

  std::size_t inputs = 0;
  std::size_t frequencies = 0;
  T scale = 1;
  AlignedVector<T> panels;  // [ceil(frequencies / kPanel)][inputs][kPanel]
  AlignedVector<T> phase;   // turns, padded to whole panels; empty: cos and sin
  T largest = 0;            // largest |panels|: tells which rows could overflow

  std::size_t outputs() const { return phase.empty() ? 2 * frequencies : frequencies; }
};

// omega: frequencies x inputs, row-major, in radians; phase in radians or empty. T is float or double.
template <class T>
FourierWeights<T> pack_fourier(std::span<const double> omega, std::size_t inputs, std::span<const double> phase,
                               double scale);

}  // namespace bochner
