// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "maps/structured.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "base/lease.h"
#include "kernels/law.h"
#include "random/draw.h"

namespace bochner {

namespace {

constexpr std::size_t kStages = 3;

double length_of(const std::vector<double>& w) {
  double sum = 0;
  for (const double v : w) sum += v * v;
  return std::sqrt(sum);
}

}  // namespace

template <class T>
StructuredWeights<T> structured_weights(std::size_t inputs, const FourierOptions& options, std::size_t frequencies,
                                        double scale) {
  StructuredWeights<T> w;
  w.inputs = inputs;
  w.width = std::bit_ceil(inputs);
  w.frequencies = frequencies;
  w.scale = T(scale);
  const std::size_t blocks = (frequencies + w.width - 1) / w.width;
  w.signs.resize(blocks * kStages * w.width);
  for (std::size_t stage = 0; stage < blocks * kStages; ++stage)
    for (std::size_t j = 0; j < w.width; ++j) {
      const std::uint64_t word = bits(options.seed, Draw::flip, 1 + stage, j / 64);
      const double size = stage % kStages == 0 && j < inputs ? 1 / options.kernel.length_scale(j) : 1;
      w.signs[stage * w.width + j] = T(word >> (j % 64) & 1 ? -size : size);
    }
  Kernel unit = options.kernel;
  unit.length_scales = {1.0};
  const double n = double(w.width), per_turn = 1 / (2 * std::numbers::pi * n * std::sqrt(n));
  std::vector<double> omega(w.width);
  for (std::size_t f = 0; f < frequencies; ++f) {
    draw_frequency(unit, options.seed, f, omega);
    w.factor.push_back(T(length_of(omega) * per_turn));
    if (options.form == FourierOptions::Form::shifted) w.phase.push_back(T(uniform(options.seed, Draw::phase, f)));
  }
  return w;
}

template <class T>
void structured_features(const Backend& on, const RowBlock<T>& x, const StructuredWeights<T>& w, MatrixView<T> z) {
  const std::size_t n = w.width, blocks = w.signs.size() / (kStages * n);
  const T n_large = T(n);
  const T safe = std::numeric_limits<T>::max() / 4 / (n_large * n_large);  // three transforms grow by n^(3/2) at most
  const Lease<T> memory(n + blocks * n);
  T* const row = memory.data();
  const MatrixView<T> y{memory.data() + n, blocks, n, n};
  for (std::size_t i = 0; i < x.rows; ++i) {
    std::fill_n(row, n, T(0));
    if (x.sparse())
      for (std::size_t at = x.offsets[i]; at < x.offsets[i + 1]; ++at) row[x.columns[at]] = x.values[at];
    else
      std::copy_n(x.values + i * x.stride, w.inputs, row);
    T most = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
      const T* const signs = w.signs.data() + b * kStages * n;
      for (std::size_t j = 0; j < n; ++j) y(b, j) = row[j] * signs[j];
      if (b == 0)
        for (std::size_t j = 0; j < n; ++j) most = std::max(most, std::abs(y(0, j)));
    }
    if (most > safe && std::isfinite(most)) std::fill_n(y.data, blocks * n, T(0));
    for (std::size_t stage = 1; stage <= kStages; ++stage) {
      on.hadamard(y);
      for (std::size_t b = 0; b < blocks && stage < kStages; ++b) {
        const T* const signs = w.signs.data() + (b * kStages + stage) * n;
        for (std::size_t j = 0; j < n; ++j) y(b, j) *= signs[j];
      }
    }
    on.cosines(MatrixView<const T>{y.data, 1, w.frequencies, w.frequencies}, w.factor.data(),
               w.phase.empty() ? nullptr : w.phase.data(), w.scale, z.slice(i, 1));
  }
}

template StructuredWeights<float> structured_weights(std::size_t, const FourierOptions&, std::size_t, double);
template StructuredWeights<double> structured_weights(std::size_t, const FourierOptions&, std::size_t, double);
template void structured_features(const Backend&, const RowBlock<float>&, const StructuredWeights<float>&,
                                  MatrixView<float>);
template void structured_features(const Backend&, const RowBlock<double>&, const StructuredWeights<double>&,
                                  MatrixView<double>);

}  // namespace bochner
