// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <span>

#include "bochner/matrix.h"

namespace bochner {

// Samples of an additive kernel's signature: for each input x_j > 0 of a row, t = 2 pi turns log x_j,
//   z = [r_0 sqrt(x_j), of all j; r_1 sqrt(x_j) cos t; r_1 sqrt(x_j) sin t; r_2 sqrt(x_j) cos 2 t; ...]
// and zeros for x_j below the least normal number. x is rows x d, z rows x (2 n - 1) d for n roots. An entry is a
// function of its input alone, to the bit, and the same on every machine. One thread; T is float or double.
template <class T>
void sample_signatures(MatrixView<const T> x, std::span<const T> roots, T turns, MatrixView<T> z);

// z = scale cos(2 pi (a W + phase)), a = log(max(x, 0) + skew), with the same promise; 0 stands for NaN. The skew is a
// normal number > 0, W is x.cols x z.cols.
template <class T>
struct SkewedCosines {
  T skew, scale;
  MatrixView<const T> W;
  const T* phase;
};
template <class T>
void skewed_cosines(MatrixView<const T> x, const SkewedCosines<T>& of, MatrixView<T> z);

}  // namespace bochner
