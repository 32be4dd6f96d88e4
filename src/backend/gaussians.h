// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned.h"
#include "bochner/matrix.h"

namespace bochner {

// The operations of every backend on Gaussians whose inputs are independent: each number is one chain of operations in
// an order that depends on no vector width. One thread, a moderate number of rows.

// ((x - origin) - (mean - origin)) / deviation = (x - origin) factor + shift, of one input after the other. The origin
// is near all means, so that little cancels, and nothing at all of an input that never varies.
template <class T>
struct DiagonalGaussians {
  DiagonalGaussians() = default;
  DiagonalGaussians(std::size_t count, std::size_t inputs);

  // The factor is rounded first and the shift is that of the rounded one.
  void set(std::size_t k, std::size_t j, double mean, double factor) {
    values[2 * j * stride + k] = T(factor);
    values[(2 * j + 1) * stride + k] = T((double(origin[j]) - mean) * double(T(factor)));
  }

  std::size_t inputs = 0, stride = 0;
  std::vector<T> origin;    // one per input; 0 until it is set, before the Gaussians are
  AlignedVector<T> values;  // [inputs][2][stride], zeros beyond the count for a vector of any width
};

// squares(i, k) = sum over the inputs of ((x_i - origin) factor + shift)^2, of Gaussian first + k. Some inputs are
// summed in T before they join a double.
template <class T>
void diagonal_squares(MatrixView<const T> x, const DiagonalGaussians<T>& g, std::size_t first,
                      MatrixView<double> squares);

// joint(i, m) = log(weight_m N(x_i; m)) become the shares of the components, which sum to 1; those below 2^-36 count as
// 0. log_sums[i] = log sum_m exp joint(i, m). Where no joint is finite all shares are 0. Exponentials are those of T,
// which rows are in; sums and logarithms are double.
template <class T>
void joint_to_shares(MatrixView<double> joint, double* log_sums);

// Rows of sums of moments are zero beyond their inputs, up to a multiple of this.
inline constexpr std::size_t kMomentColumns = 16;
// Rows that are summed in T before they join a double.
inline constexpr std::size_t kMomentRows = 64;

// Some of at most kMomentRows rows: the first `count` of `at`, which count as much as `shares` says.
template <class T>
struct SharedRows {
  MatrixView<const T> x;  // its stride is a multiple of kMomentColumns
  const std::uint32_t* at = nullptr;
  const T* shares = nullptr;
  std::size_t count = 0;
};

// first += sum of r (x - center), second += sum of r (x - center)^2. All three are as long as the rows' stride.
template <class T>
void add_moments(const SharedRows<T>& rows, const T* center, double* first, double* second);

}  // namespace bochner
