// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/threads.h"
#include "base/tiled_symmetric.h"
#include "bochner/matrix.h"

// Cholesky's factor without BLAS: every sum in one order, so that all machines with a fused multiply-add find the same
// bits, for any number of threads. Of a factor L the transpose is kept, for each tile of its own: the products that the
// backend has (backend/column_product.h) are of columns.
namespace bochner::fixed_order {

// c = a b, c = a^T b
void multiply(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c);
void transposed_multiply(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c);

// a b and a^T b, by all threads
Matrix<double> product(Threads& threads, const Matrix<double>& a, const Matrix<double>& b);
Matrix<double> transposed_product(Threads& threads, const Matrix<double>& a, const Matrix<double>& b);

// c -= a b; c += a^T b, c -= a^T b
void subtract_row_product(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c);
void add_product(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c);
void subtract_product(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c);

// w <- L^-1 w and w <- L^-T w, where u = L^T.
void solve_lower(MatrixView<const double> u, MatrixView<double> w);
void solve_upper(MatrixView<const double> u, MatrixView<double> w);

// b <- a^-1 b, of a symmetric a whose lower triangle is read; a is overwritten. False, and b as it was, where a is not
// positive definite.
bool solve_positive(MatrixView<double> a, MatrixView<double> b);

// L^-1, where u = L^T; 0 above its diagonal.
Matrix<double> inverse_lower(MatrixView<const double> u);

// For an a that may be singular: the upper triangle of P^T a P becomes L^T as far as pivots exceed the tolerance, the
// largest first. Returns how many did; pivots[i]: which row of a is the i-th. Only the upper triangle of a is read;
// what is below is overwritten.
std::size_t pivoted_factor(MatrixView<double> a, double tolerance, std::span<std::size_t> pivots);

// a becomes the factor, in its own memory. Returns the first column whose pivot, the square of the factor's diagonal,
// does not exceed `least`, if there is one: with 0, where a is not positive definite.
template <class T>
std::optional<std::size_t> factor(TiledSymmetric<T>& a, Threads& threads, T least = 0);

// w <- L^-1 w for the rows and columns of L from tile `first` on; w has a row for each of them.
void solve_lower(const TiledSymmetric<double>& factor, std::size_t first, MatrixView<double> w);

// x <- (L L^T)^-1 x, and the same of several columns at the speed of matrix products.
template <class T>
void solve(const TiledSymmetric<T>& factor, std::span<T> x);
template <class T>
void solve(const TiledSymmetric<T>& factor, MatrixView<T> w);

}  // namespace bochner::fixed_order
