// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/threads.h"
#include "base/tiled_symmetric.h"
#include "bochner/matrix.h"

namespace bochner {

// A = L L^T by tiles. Each tile operation is one thread's and tiles meet in a fixed order, so the bits do not
// depend on the number of threads (a threaded LAPACK's do).
class Cholesky {
 public:
  // blas: OpenBLAS. same_bits: as solve/fixed_order.h, the same bits on every machine with a fused multiply-add.
  enum class Arithmetic { blas, same_bits };

  // Factors a + shift I in the memory of `a`.
  Cholesky(TiledSymmetric<double> a, double shift, Threads& threads, Arithmetic arithmetic = Arithmetic::blas);

  // The column at which the matrix turned out not to be positive definite.
  std::optional<std::size_t> failed_column() const { return failed_; }

  // b <- (L L^T)^-1 b, b is size x k.
  void solve(MatrixView<double> b) const;
  // The same on all threads; for few columns the memory is the limit.
  void solve(MatrixView<double> b, Threads& threads) const;
  // x <- x L^-T: every row of x becomes L^-1 x_i. One thread.
  void solve_lower_rows(MatrixView<double> x) const;
  // sums_i += |L^-1 x_i|^2 of every row of x. One thread.
  void add_squares(MatrixView<const double> x, std::span<double> sums) const;
  Matrix<double> inverse_factor(Threads& threads) const;  // L^-1, lower triangular
  // diag (L L^T)^-1 = |L^-1 e_i|^2, and its sum, in D^3 / 3 multiplications.
  std::vector<double> inverse_diagonal(Threads& threads) const;
  double inverse_trace(Threads& threads) const;
  const TiledSymmetric<double>& factor() const { return a_; }  // L; of same_bits each tile's transpose

 private:
  bool same_bits() const { return arithmetic_ == Arithmetic::same_bits; }

  Arithmetic arithmetic_;
  TiledSymmetric<double> a_;
  std::optional<std::size_t> failed_;
};

}  // namespace bochner
