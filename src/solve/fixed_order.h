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
// bits, for any number of threads. Tile (I, J) of the factor holds the transpose of L_IJ: the products that the backend
// has (backend/column_product.h) are of columns.
namespace bochner::fixed_order {

// a becomes the factor, in its own memory. Returns the column where a is not positive definite, if there is one.
std::optional<std::size_t> factor(TiledSymmetric<double>& a, Threads& threads);

// w <- L^-1 w for the rows and columns of L from tile `first` on; w has a row for each of them.
void solve_lower(const TiledSymmetric<double>& factor, std::size_t first, MatrixView<double> w);

// x <- (L L^T)^-1 x
void solve(const TiledSymmetric<double>& factor, std::span<double> x);

}  // namespace bochner::fixed_order
