// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>

#include "solve/dense.h"
#include "solve/krylov.h"

namespace bochner {

struct LanczosOptions {
  std::size_t wanted = 0;  // leading eigenvectors
  std::size_t most = 0;    // columns of the space; at least those wanted
  double trace = 0;        // the trace of the matrix
  double rounding = 1e-6;  // rounding error of a product, relative to its length
};

struct LanczosSpace {
  Matrix<double> vectors;        // Ritz vectors, orthonormal: as many as were wanted, or as the space has
  std::vector<double> values;    // their Ritz values, descending
  std::vector<double> captured;  // sum of the wanted Ritz values after each product, once there are as many
  std::size_t products = 0;
};

// Block Lanczos with full reorthogonalization (Golub & Underwood 1977), for a symmetric positive semidefinite matrix C
// whose products are cheap: its rows lie in memory. Blocks are narrower than what is wanted, so that the space reaches
// a higher power of C with fewer columns than that of block_krylov(), which spares passes instead. It ends as that
// does, where the trace beyond the wanted eigenvalues would not fall by more than kGain of it.
LanczosSpace block_lanczos(Matrix<double> start, const Product& product, const LanczosOptions& options,
                           Threads& threads);

// Estimated, by how the gains fell: by how much of itself the root of the trace that is left is above the least
// possible. Nothing where there were too few products to tell.
std::optional<double> gain_of(const LanczosSpace& space, double trace);

}  // namespace bochner
