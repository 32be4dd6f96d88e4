// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.h"
#include "bochner/kernel_family.h"
#include "bochner/matrix.h"

namespace bochner {

// The points y a block of kernel values is taken against, in the layout of FourierWeights: panels of kPanel points,
// each panel inputs x kPanel, zero-padded, divided by the length scales.
template <class T>
struct Landmarks {
  static constexpr std::size_t kPanel = 16;

  KernelShape shape = KernelShape::gaussian;
  T alpha = 1;  // rational only
  std::size_t inputs = 0, count = 0;
  AlignedVector<T> panels;       // [ceil(count / kPanel)][inputs][kPanel]
  AlignedVector<T> factor;       // 1 / length scale of each input
  AlignedVector<double> origin;  // one per point, padded: the sum (or product) over inputs for x = 0
};

// points: count x inputs. length_scales: one per input, or one for all.
template <class T>
Landmarks<T> pack_landmarks(MatrixView<const float> points, std::span<const double> length_scales, KernelShape shape,
                            double alpha = 1);

// A lower triangular matrix for Backend::multiply_lower: panels of kPanel rows, of which panel p has only the
// columns up to its diagonal, column after column, zero-padded.
template <class T>
struct LowerPanels {
  static constexpr std::size_t kPanel = 16;

  std::size_t size = 0;
  AlignedVector<T> values;
  std::vector<std::size_t> offsets;  // where each panel begins

  std::size_t columns(std::size_t p) const { return (p + 1) * kPanel < size ? (p + 1) * kPanel : size; }
};

// The lower triangle of a square matrix; the rest is not read.
template <class T>
LowerPanels<T> pack_lower(MatrixView<const double> lower);

}  // namespace bochner
