// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/threads.h"
#include "bochner/matrix.h"

namespace bochner {

// C q of a symmetric matrix C without negative eigenvalues.
using SymmetricProduct = std::function<Matrix<double>(const Matrix<double>& q)>;

// Orthonormal columns along which C is largest, the widest first, fewer than `count` where C has fewer; C has `size`
// rows and columns and a rank of at most `rank`. Subspace iteration (Rutishauser 1969) by sums in one order: the same
// bits on every machine where `times` has them.
Matrix<double> leading_subspace(Threads& threads, const SymmetricProduct& times, std::size_t size, std::size_t count,
                                std::size_t rank, std::uint64_t seed);

}  // namespace bochner
