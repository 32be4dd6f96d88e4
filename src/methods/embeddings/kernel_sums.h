// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "backend/landmarks.h"
#include "backend/workers.h"
#include "bochner/matrix.h"
#include "methods/embeddings/kernel_slope.h"

namespace bochner {

// mu_f = sum_i alpha(i, f) k(x_i, .) of several functions f with the same points, which are divided by the length
// scales: the kernel is computed once for all of them. As KernelSum, in double.
class KernelSums {
 public:
  KernelSums(const Workers& on, const KernelSlope& kernel, const Matrix<double>& x, const Matrix<double>& alpha);

  std::size_t functions() const { return alpha_.cols(); }
  std::size_t inputs() const { return middle_.size(); }
  const KernelSlope& kernel() const { return kernel_; }

  // values(j, f) = mu_f(at_j).
  void evaluate(MatrixView<const double> at, MatrixView<double> values) const;
  // gradients(j, :) = sum_f beta(j, f) grad mu_f(at_j).
  void gradients(MatrixView<const double> at, MatrixView<const double> beta, MatrixView<double> gradients) const;
  // sum_f |mu_f|^2: all pairs.
  double squared_norm() const;

 private:
  struct Slice {
    std::size_t begin, count;
    Landmarks<double> points;         // where the backend has the kernel's shape
    Matrix<double> x, alpha, across;  // count x (1 and the inputs), count x functions, functions x count
  };
  // The kernel of rows with the points of a slice.
  void kernel_block(MatrixView<const double> rows, const Slice& slice, MatrixView<double> block) const;
  Matrix<double> less_middle(MatrixView<const double> at) const;

  const Workers& on_;
  const KernelSlope& kernel_;
  Matrix<double> alpha_;
  std::vector<double> middle_;  // mean of x, subtracted before squares are formed
  std::vector<Slice> slices_;
};

}  // namespace bochner
