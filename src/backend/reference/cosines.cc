// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cmath>
#include <numbers>

#include "backend/reference/operations.h"

namespace bochner::reference {

template <class T>
void Operations::cosines(MatrixView<const T> y, const T* factor, const T* phase, T scale, MatrixView<T> z) {
  for (std::size_t i = 0; i < y.rows; ++i)
    for (std::size_t j = 0; j < y.cols; ++j) {
      const double r = double(y(i, j)) * double(factor[j]) + (phase ? double(phase[j]) : 0);
      const double angle = 2 * std::numbers::pi * (std::isinf(r) ? 0 : r - std::nearbyint(r));
      z(i, j) = T(scale * std::cos(angle));
      if (!phase) z(i, y.cols + j) = T(scale * std::sin(angle));
    }
}

template void Operations::cosines(MatrixView<const float>, const float*, const float*, float, MatrixView<float>);
template void Operations::cosines(MatrixView<const double>, const double*, const double*, double, MatrixView<double>);

}  // namespace bochner::reference
