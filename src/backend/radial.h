// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>

#include "base/aligned.h"
#include "bochner/matrix.h"

namespace bochner {

// Points that rows meet in a product: panels of kPanel points, each panel inputs x kPanel, zero-padded.
template <class T>
struct PointPanels {
  static constexpr std::size_t kPanel = 16;

  std::size_t inputs = 0, count = 0;
  AlignedVector<T> values;  // [ceil(count / kPanel)][inputs][kPanel]
};

// points: count x inputs.
template <class T>
PointPanels<T> pack_points(MatrixView<const T> points);

// k(x, z) = exp(-t^{q/2}), t = |x - z|^2, of rows that the metric has already multiplied: q = 2 is the gaussian, q = 1
// the laplacian of the L2 distance. t is never below kRadialLeast.
inline constexpr double kRadialLeast = 1e-9;

// Entries of a radial kernel with what their derivatives are made of, each rows x points. Who wants both the kernel
// and, later, derivatives that depend on what it led to keeps them: a derivative is then some multiplications.
template <class T>
struct RadialEntries {
  MatrixView<T> k, distance, log, power;  // k, t, ln t, t^{q/2}

  std::size_t rows() const { return k.rows; }
  RadialEntries slice(std::size_t begin, std::size_t count) const {
    return {k.slice(begin, count), distance.slice(begin, count), log.slice(begin, count), power.slice(begin, count)};
  }
};

// The derivatives of f by the entries of a radial kernel, a matrix of low rank: Omega = left right^T.
template <class T>
struct RadialSlope {
  MatrixView<const T> left;       // rows x rank
  const PointPanels<T>& right;    // as many points as the kernel has, rank inputs
  MatrixView<T> by_distance;      // out: H = df/dt, rows x points: Omega o (-(q/2) t^{q/2-1} k); 0 where t is the least
  double* row_sums = nullptr;     // out: of H, one per row
  double* by_exponent = nullptr;  // out: df/dq, one per row: -1/2 sum_j Omega k t^{q/2} ln t
};

}  // namespace bochner
