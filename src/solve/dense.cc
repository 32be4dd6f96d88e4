// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "solve/dense.h"

#include <algorithm>

#include "backend/cpu/blas.h"
#include "solve/fixed_order.h"

namespace bochner {

using blas::Op;
using blas::Side;

void multiply(double alpha, MatrixView<const double> a, MatrixView<const double> b, double beta, MatrixView<double> c) {
  blas::gemm(alpha, {Op::plain, a}, {Op::plain, b}, beta, c);
}

void transposed_multiply(double alpha, MatrixView<const double> a, MatrixView<const double> b, double beta,
                         MatrixView<double> c) {
  blas::gemm(alpha, {Op::transposed, a}, {Op::plain, b}, beta, c);
}

void multiply_transposed(double alpha, MatrixView<const double> a, MatrixView<const double> b, double beta,
                         MatrixView<double> c) {
  blas::gemm(alpha, {Op::plain, a}, {Op::transposed, b}, beta, c);
}

void outer_product(MatrixView<const double> a, MatrixView<double> c) { blas::syrk(Op::plain, 1.0, a, 0.0, c); }

void solve_lower(MatrixView<const double> l, MatrixView<double> b) { blas::trsm(Side::left, Op::plain, 1.0, l, b); }

void solve_lower_transposed(MatrixView<const double> l, MatrixView<double> b) {
  blas::trsm(Side::left, Op::transposed, 1.0, l, b);
}

void solve_right_transposed(MatrixView<const double> l, MatrixView<double> b) {
  blas::trsm(Side::right, Op::transposed, 1.0, l, b);
}

std::size_t factor_lower(MatrixView<double> a) { return blas::potrf(a); }

std::size_t pivoted_cholesky(MatrixView<double> a, double tolerance, std::span<std::size_t> pivots) {
  const std::size_t rank = fixed_order::pivoted_factor(a, tolerance, pivots);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < i; ++j) a(i, j) = a(j, i);  // the transpose
  return rank;
}

void symmetric_eigenvalues(MatrixView<double> a, std::span<double> values) { blas::eigenvalues(a, values); }

Eigen largest_eigen(Matrix<double> a, std::size_t count) {
  const std::size_t n = a.rows();
  Eigen eigen{std::vector<double>(count), Matrix<double>(n, count)};
  Matrix<double> rows(count, n);
  blas::eigenvectors(a.view(), eigen.values, rows.view());
  std::reverse(eigen.values.begin(), eigen.values.end());
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t i = 0; i < n; ++i) eigen.vectors(i, k) = rows(count - 1 - k, i);
  return eigen;
}

}  // namespace bochner
