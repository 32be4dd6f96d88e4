// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <span>
#include <vector>

#include "bochner/matrix.h"

// Small triangular factors for maps that are made of covariances, in plain loops: d^3 / 3 multiplications, once per
// component and round, beside n d^2 of the rows.
namespace bochner {

// The lower triangle of a = L L^T becomes L. Returns 0, or 1 + the column where a is not positive definite.
std::size_t factor_lower_in_place(MatrixView<double> a);

// The lower triangle, row after row, up to the diagonal, as model files hold it; and back.
std::vector<double> triangle_of(MatrixView<const double> lower);
Matrix<double> lower_from(std::span<const double> triangle, std::size_t size);

// L^-1, lower triangular.
Matrix<double> inverse_lower(MatrixView<const double> lower);

// (F F^T + P)^-1 of a diagonal P, F of d x rank: P^-1/2 (I - D D^T) P^-1/2.
struct LowRankInverse {
  LowRankInverse(MatrixView<const double> F, std::span<const double> P);

  Matrix<double> core;        // C, lower triangular: C C^T = I + F^T P^-1 F
  Matrix<double> directions;  // D = P^-1/2 F C^-T, d x rank
};

// B = (F F^T + P)^-1 F, d x rank: the expected factors of a row x of that covariance are B^T x.
Matrix<double> low_rank_regression(MatrixView<const double> F, std::span<const double> P);

}  // namespace bochner
