// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "base/threads.h"
#include "bochner/matrix.h"

// Matrices of many rows and few columns, on all threads. Rows are taken in pieces of one size, whose products are added
// in their order, so the bits do not depend on the number of threads.
namespace bochner {

// a^T b
Matrix<double> cross(MatrixView<const double> a, MatrixView<const double> b, Threads& threads);
inline Matrix<double> cross(const Matrix<double>& a, const Matrix<double>& b, Threads& threads) {
  return cross(a.view(), b.view(), threads);
}

// a z
Matrix<double> combine(const Matrix<double>& a, const Matrix<double>& z, Threads& threads);
Matrix<double> combine(Matrix<double>&& a, const Matrix<double>& z, Threads& threads);  // reuses a if z is square

// a += alpha b z
void add_combined(double alpha, MatrixView<const double> b, const Matrix<double>& z, Matrix<double>& a,
                  Threads& threads);
inline void add_combined(double alpha, const Matrix<double>& b, const Matrix<double>& z, Matrix<double>& a,
                         Threads& threads) {
  add_combined(alpha, b.view(), z, a, threads);
}

// An orthonormal basis of what the columns of w span beyond those of every q, which are orthonormal together. Columns
// that add less than rounding leaves of them are left out. SVQB: Stathopoulos & Wu, SIAM J. Sci. Comput. 2002.
Matrix<double> orthonormal(Matrix<double> w, const std::vector<Matrix<double>>& q, Threads& threads);

// The same of one basis q whose part in w was taken away once already: removed = q^T w as it was before. It is taken
// away again only where little was left, so that rounding counts ("twice is enough"). lost: of a column's length, what
// rounding leaves of it.
Matrix<double> orthonormal_beyond(MatrixView<const double> q, Matrix<double> w, const Matrix<double>& removed,
                                  double lost, Threads& threads);

}  // namespace bochner
