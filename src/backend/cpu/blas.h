// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "bochner/matrix.h"

// OpenBLAS on row-major views, always on the calling thread: its own threads leave a worker spinning after a
// call, and ours share the work already. Callers may run concurrently.
namespace bochner::blas {

// What OpenBLAS calls the processor whose kernels are in use.
std::string kernels();

enum class Op { plain, transposed };
enum class Side { left, right };

// op(a): a factor of a product.
template <class T>
struct Factor {
  Op op;
  MatrixView<const T> matrix;
};

// c = alpha op(a) op(b) + beta c
void gemm(float alpha, Factor<float> a, Factor<float> b, float beta, MatrixView<float> c);
void gemm(double alpha, Factor<double> a, Factor<double> b, double beta, MatrixView<double> c);

// The lower triangle of c = alpha op(a) op(a)^T + beta c
void syrk(Op op_a, double alpha, MatrixView<const double> a, double beta, MatrixView<double> c);

// b = alpha op(l)^-1 b (left) or alpha b op(l)^-1 (right), l lower triangular
void trsm(Side side, Op op_l, double alpha, MatrixView<const double> l, MatrixView<double> b);

// The lower triangle of a = l l^T becomes l. Returns 0, or 1 + the column where a is not positive definite.
std::size_t potrf(MatrixView<double> a);

// The eigenvalues of a symmetric a, ascending; a is overwritten.
void eigenvalues(MatrixView<double> a, std::span<double> values);

// The largest vectors.rows eigenvalues of a symmetric a, ascending, and their eigenvectors as rows; a is overwritten.
void eigenvectors(MatrixView<double> a, std::span<double> values, MatrixView<double> vectors);

}  // namespace bochner::blas
