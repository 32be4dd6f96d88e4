// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/mixtures/hmm_slopes.h"

#include <algorithm>

namespace bochner {

namespace {

// slope = sum over t of (t - mean t) x_t / sum of (t - mean t)^2, of `count` consecutive rows.
void add_slope(MatrixView<const double> x, std::size_t begin, std::size_t count, double* slope) {
  const double middle = 0.5 * double(count - 1);
  double spread = 0;
  for (std::size_t t = 0; t < count; ++t) spread += (double(t) - middle) * (double(t) - middle);
  for (std::size_t t = 0; t < count && spread > 0; ++t)
    for (std::size_t j = 0; j < x.cols; ++j) slope[j] += (double(t) - middle) / spread * x(begin + t, j);
}

}  // namespace

Sequences with_slopes(Sequences sequences, std::size_t reach) {
  if (reach == 0) return sequences;
  const std::size_t d = sequences.x.cols();
  Matrix<double> wide(sequences.x.rows(), 2 * d);
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const MatrixView<const double> x = sequences.rows(i);
    for (std::size_t t = 0; t < x.rows; ++t) {
      double* const row = &wide(sequences.starts[i] + t, 0);
      std::copy_n(x.row(t), d, row);
      const std::size_t begin = t - std::min(t, reach), end = std::min(x.rows, t + std::min(reach, x.rows) + 1);
      add_slope(x, begin, end - begin, row + d);
    }
  }
  sequences.x = std::move(wide);
  return sequences;
}

}  // namespace bochner
