// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cmath>
#include <numbers>

#include "backend/reference/operations.h"

namespace bochner::reference {

namespace {

// x_i . w_f + b_f in turns. CSR rows skip what adds nothing.
template <class T>
double turns(const RowBlock<T>& x, std::size_t i, const FourierWeights<T>& w, std::size_t f) {
  constexpr std::size_t kPanel = FourierWeights<T>::kPanel;
  const T* panel = w.panels.data() + (f / kPanel) * w.inputs * kPanel + f % kPanel;
  double r = w.phase.empty() ? 0 : double(w.phase[f]);
  if (x.sparse()) {
    for (std::size_t k = x.offsets[i]; k < x.offsets[i + 1]; ++k)
      r += double(x.values[k]) * double(panel[x.columns[k] * kPanel]);
  } else {
    for (std::size_t j = 0; j < w.inputs; ++j) r += double(x.values[i * x.stride + j]) * double(panel[j * kPanel]);
  }
  return r;
}

}  // namespace

template <class T>
void Operations::fourier(const RowBlock<T>& x, const FourierWeights<T>& w, MatrixView<T> z) {
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t f = 0; f < w.frequencies; ++f) {
      const double r = turns(x, i, w, f);
      const double angle = 2 * std::numbers::pi * (std::isinf(r) ? 0 : r - std::nearbyint(r));
      z(i, f) = T(w.scale * std::cos(angle));
      if (w.phase.empty()) z(i, w.frequencies + f) = T(w.scale * std::sin(angle));
    }
  }
}

template void Operations::fourier(const RowBlock<float>&, const FourierWeights<float>&, MatrixView<float>);
template void Operations::fourier(const RowBlock<double>&, const FourierWeights<double>&, MatrixView<double>);

}  // namespace bochner::reference
