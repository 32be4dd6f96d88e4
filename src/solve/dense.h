// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bochner/matrix.h"

// Dense row-major matrices by BLAS and LAPACK on the calling thread. l is lower triangular. Callers may run
// concurrently.
namespace bochner {

// c = alpha a b + beta c, c = alpha a b^T + beta c, c = alpha a^T b + beta c
void multiply(double alpha, MatrixView<const double> a, MatrixView<const double> b, double beta, MatrixView<double> c);
void multiply_transposed(double alpha, MatrixView<const double> a, MatrixView<const double> b, double beta,
                         MatrixView<double> c);
void transposed_multiply(double alpha, MatrixView<const double> a, MatrixView<const double> b, double beta,
                         MatrixView<double> c);
// The lower triangle of c = a a^T
void outer_product(MatrixView<const double> a, MatrixView<double> c);

// b = l^-1 b, b = l^-T b, b = b l^-T
void solve_lower(MatrixView<const double> l, MatrixView<double> b);
void solve_lower_transposed(MatrixView<const double> l, MatrixView<double> b);
void solve_right_transposed(MatrixView<const double> l, MatrixView<double> b);

// The lower triangle of a = l l^T becomes l. Returns 0, or 1 + the column where a is not positive definite.
std::size_t factor_lower(MatrixView<double> a);

// The same with pivoting, for an a that may be singular: the lower triangle of P^T a P becomes l as far as pivots
// exceed the tolerance. Returns how many did; pivots[i]: which row of a is the i-th. Both triangles are read or
// overwritten.
std::size_t pivoted_cholesky(MatrixView<double> a, double tolerance, std::span<std::size_t> pivots);

// The eigenvalues of a symmetric a, ascending; a is overwritten.
void symmetric_eigenvalues(MatrixView<double> a, std::span<double> values);

// The largest eigenvalues of a symmetric matrix, descending, and their eigenvectors as columns.
struct Eigen {
  std::vector<double> values;
  Matrix<double> vectors;
};
Eigen largest_eigen(Matrix<double> a, std::size_t count);

}  // namespace bochner
