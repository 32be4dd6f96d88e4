// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "bochner/ranks.h"
#include "bochner/rows.h"
#include "rows/row_buffer.h"

namespace bochner {

// What may travel: inputs, targets and weights of all ranks' rows as doubles. It is a constant, since every rank draws
// the same rows whatever its memory.
inline constexpr double kMostGatheredBytes = 1 << 28;

struct RowShape {
  std::size_t cols = 0, targets = 0;
  bool sparse = false;
};
using VisitRows = std::function<void(const RowBlock<double>&)>;
// The blocks of this shape that every rank passes to visit, of its own rows, in the order of their numbers. share:
// below 1 a draw of the rows by their numbers.
RowBuffer<double> gathered_blocks(const std::function<void(const VisitRows& visit)>& each, const RowShape& shape,
                                  double share, std::uint64_t seed, Ranks& ranks);

// The share of all ranks' rows that so many bytes hold; above 1: all.
double gathered_share(const Rows& rows, double most_bytes = kMostGatheredBytes);

// The rows of all ranks in memory, in order, for what is no sum over them: each rank packs its own, and one sum puts
// them together. Of more rows than most_bytes hold a share is drawn by their numbers. They are numbered anew from 0.
std::unique_ptr<Rows> gathered_rows(Rows& rows, std::uint64_t seed, Ranks& ranks,
                                    double most_bytes = kMostGatheredBytes);

}  // namespace bochner
