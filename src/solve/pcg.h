// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "bochner/matrix.h"

namespace bochner {

// Where conjugate gradients stand. `columns` are the right-hand sides that took part in the step.
struct PcgStep {
  std::size_t iteration = 0;  // 0: before the first step
  std::vector<std::size_t> columns;
  std::vector<double> length;  // alpha of each of `columns`: x moved by alpha p
  // One number per right-hand side. With f(x) = x^T A x - 2 b^T x and its least value f*:
  std::vector<double> gain;  // -f(x)
  std::vector<double> gap;   // r^T M^-1 r, which is f(x) - f* as far as M is A
};

struct PcgResult {
  Matrix<double> x;
  Matrix<double> residual;              // b - A x
  std::vector<std::size_t> iterations;  // one number per right-hand side
  std::vector<double> gap;
  std::vector<char> solved;  // false: the limit of iterations came first
};

struct PcgProblem {
  // Both see the given columns of the right-hand sides only.
  std::function<Matrix<double>(const Matrix<double>& p, const std::vector<std::size_t>& columns)> multiply;  // A p
  std::function<void(Matrix<double>& r, const std::vector<std::size_t>& columns)> precondition;  // r <- M^-1 r
  std::function<bool(const PcgStep& step, std::size_t column)> solved;  // asked after each step
};

// The lengths of a step, rz = r^T M^-1 r: x += alpha p, p = M^-1 r + beta p. 0 for a system that is solved to the last
// bit and has nowhere to go.
inline double cg_alpha(double rz, double curvature) { return curvature > 0 ? rz / curvature : 0; }
inline double cg_beta(double rz, double rz_before) { return rz_before > 0 ? rz / rz_before : 0; }

// Preconditioned conjugate gradients on A_k x_k = b_k, each A_k symmetric positive definite. Hestenes & Stiefel 1952;
// Golub & Van Loan, Algorithm 11.5.1. The right-hand sides walk in step, so that one pass over the rows serves all;
// those that are solved drop out. product: A x of where it begins, if that is known.
PcgResult pcg(const Matrix<double>& b, Matrix<double> x, const PcgProblem& problem, std::size_t most_iterations,
              const Matrix<double>* product = nullptr);

}  // namespace bochner
