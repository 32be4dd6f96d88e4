// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "backend/landmarks.h"
#include "backend/workers.h"
#include "bochner/matrix.h"
#include "methods/embeddings/kernel_slope.h"

namespace bochner {

// As pack_landmarks, of points that may be double and are divided by the length scales already; for dense rows.
template <class T>
Landmarks<T> pack_scaled(const KernelSlope& kernel, const Matrix<T>& x);

// mu = sum_i alpha_i k(x_i, .), to be asked for its values and gradients at many points, many times. x is divided by
// the length scales. The gaussian goes through the backend's vectors, in float where `in_float`; other kernels pair by
// pair.
class KernelSum {
 public:
  KernelSum(const Workers& on, const KernelSlope& kernel, Matrix<double> x, std::vector<double> alpha,
            bool in_float = false);

  std::size_t size() const { return alpha_.size(); }
  std::size_t inputs() const { return x_.cols(); }
  const Matrix<double>& x() const { return x_; }
  const std::vector<double>& alpha() const { return alpha_; }
  const KernelSlope& kernel() const { return kernel_; }
  const Workers& on() const { return on_; }

  // values[j] = mu(at_j); gradients(j, :) its gradient, where a matrix is given.
  void evaluate(MatrixView<const double> at, std::span<double> values, MatrixView<double> gradients = {}) const;
  // |mu|^2 = sum alpha_i alpha_j k(x_i, x_j): all pairs.
  double squared_norm() const;

 private:
  // Points as the backend wants them, and alpha_i (1, x_i) for the sums.
  template <class T>
  struct Slice {
    std::size_t begin, count;
    Landmarks<T> points;
    Matrix<T> x, weighted;  // count x inputs, count x (1 + inputs)
  };
  template <class T>
  void pack(std::vector<Slice<T>>& slices);
  template <class T>
  void evaluate_slices(const std::vector<Slice<T>>& slices, MatrixView<const double> at, std::span<double> values,
                       MatrixView<double> gradients) const;
  template <class T>
  double norm_of(const std::vector<Slice<T>>& slices) const;
  void evaluate_pairs(MatrixView<const double> at, std::span<double> values, MatrixView<double> gradients) const;

  const Workers& on_;
  const KernelSlope& kernel_;
  Matrix<double> x_;
  std::vector<double> alpha_;
  std::vector<double> middle_;  // mean of x, subtracted before squares are formed
  std::vector<Slice<float>> floats_;
  std::vector<Slice<double>> doubles_;
};

}  // namespace bochner
