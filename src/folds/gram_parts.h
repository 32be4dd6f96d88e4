// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cmath>
#include <vector>

#include "backend/workers.h"
#include "base/aligned.h"
#include "bochner/matrix.h"
#include "folds/target_code.h"

// What both sorts of products of GramFold need.
namespace bochner {

// Fixed point: value * 2^33 / bound as an integer. |value| <= bound * rows stays below 2^63 for 2^30 rows.
inline double per_unit(double bound) { return std::ldexp(1.0, 33) / bound; }

// Coded targets and the constant 1, times w: rows x (columns + 1).
template <class T>
Matrix<double> weighted_targets(const RowBlock<T>& z, const TargetCode& code, double weight_bound) {
  Matrix<double> t(z.rows, code.columns() + 1);
  for (std::size_t i = 0; i < z.rows; ++i) {
    const double w = z.weights ? z.weights[i] / weight_bound : 1.0;
    for (std::size_t k = 0; k < code.columns(); ++k) t(i, k) = w * code.encode(z.targets + i * z.target_count, k);
    t(i, code.columns()) = w;
  }
  return t;
}

// sqrt(w) z, t having w in its last column; a copy only where weights make it differ from z.
template <class T>
MatrixView<const T> root_weighted(const Workers& on, const RowBlock<T>& z, const Matrix<double>& t,
                                  AlignedVector<T>& scaled) {
  const MatrixView<const T> rows{z.values, z.rows, z.cols, z.stride};
  if (!z.weights) return rows;
  scaled.resize(z.rows * z.cols);
  on.threads.run(z.rows, [&](std::size_t i, int) {
    const T root = T(std::sqrt(t(i, t.cols() - 1)));
    for (std::size_t j = 0; j < z.cols; ++j) scaled[i * z.cols + j] = root * rows(i, j);
  });
  return {scaled.data(), z.rows, z.cols, z.cols};
}

// w y y^T in the chunks between the edges; t has w y, and w in its last column.
void add_targets(const Matrix<double>& t, const std::vector<std::size_t>& edges, int sign, Matrix<std::int64_t>& sums);

}  // namespace bochner
