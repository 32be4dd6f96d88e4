// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <vector>

#include "backend/workers.h"
#include "bochner/matrix.h"
#include "bochner/row_block.h"

namespace bochner {

// Greedy k-means++ (Arthur & Vassilvitskii, SODA 2007): centres are rows, the next one drawn in proportion to the
// weighted squared distance to those before; of 2 + log k draws the one that leaves the least. Rows: dense, with their
// weights. Where fewer rows differ than centres are wanted, the last centres are copies of the first. A pure function
// of the rows, the seed and the round.
template <class T>
Matrix<double> greedy_start(const Workers& on, const RowBlock<T>& rows, std::size_t count, std::uint64_t seed,
                            std::uint64_t round);

struct Refined {
  Matrix<double> centres;
  double inertia = 0;
};
// Lloyd passes over rows that lie in memory, at most so many; an empty cluster keeps its centre.
template <class T>
Refined refine(const Workers& on, const RowBlock<T>& rows, Matrix<double> centres, int most);

// The nearest centre of every row, the first of equals.
template <class T>
std::vector<std::uint32_t> nearest_centres(const Workers& on, const RowBlock<T>& rows, const Matrix<double>& centres);

// The best of several rounds of both, by the inertia of these rows.
template <class T>
Refined best_start(const Workers& on, const RowBlock<T>& rows, std::size_t count, std::uint64_t seed, int rounds);

}  // namespace bochner
