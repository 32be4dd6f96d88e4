// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <vector>

#include "base/threads.h"
#include "bochner/matrix.h"

namespace bochner {

struct KrylovOptions {
  std::size_t wanted = 0;  // leading eigenvectors
  std::size_t least = 1;   // products, unless the space is exhausted
  std::size_t most = 8;    // products
  double trace = 0;        // the trace of the matrix
  double bytes = 0;        // that the blocks may take; where they would take more, only the last one is kept
};

struct KrylovSpace {
  Matrix<double> basis;          // orthonormal, as many columns as the start had, or fewer
  std::vector<double> captured;  // sum of the leading Ritz values after each product: grows to that of the eigenvalues
  bool converged = false;        // whether a further product would not reduce what is left of the trace
};

// The leading eigenvectors of a symmetric positive semidefinite matrix C that is known by its products alone.
// Block Krylov: Musco & Musco, NIPS 2015. The space of Q, C Q, C^2 Q, ... with an orthonormal basis Q_1, Q_2, ..., of
// which the images C Q_i are kept; the Ritz vectors y of it, and what comes out is C y, a step of the power method
// that costs no product. Where memory is short, the space is that of the last block: subspace iteration.
// Ends where the trace beyond the wanted eigenvalues, which is the squared error of a factor, would not fall by
// more than kGain of it.
inline constexpr double kGain = 0.004;
using Product = std::function<Matrix<double>(const Matrix<double>& q)>;
KrylovSpace block_krylov(Matrix<double> start, const Product& product, const KrylovOptions& options, Threads& threads);

}  // namespace bochner
