// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>

#include "neighbors/points.h"

namespace bochner {

// Every query meets every point: the products of two matrices, of which only the best stay. self: the place of each
// query among the points, which it does not meet; empty: they are no points.
void meet_all(const Workers& on, MatrixView<const float> queries, std::span<const std::uint32_t> self,
              MatrixView<const float> points, std::span<const float> half, Best& best,
              const std::function<void(double)>& progress = {});

// Queries that meet only some of the points: both by their places.
struct Meeting {
  std::span<const std::uint32_t> queries, points;
};
// For several of them at once, in which no query occurs twice. `to`: the place of each query in `best`; the same where
// empty. points of the queries are left out by self as above.
void meet_some(const Workers& on, MatrixView<const float> queries, std::span<const std::uint32_t> self,
               MatrixView<const float> points, std::span<const float> half, std::span<const Meeting> meetings,
               Best& best);

// The k best candidates of each query, compared in all inputs from differences in double (inner products likewise), as
// places; -1 where there are fewer. Distances as Neighbors has them, of the scaled points.
Neighbors rank_candidates(const Workers& on, Metric metric, MatrixView<const float> queries,
                          MatrixView<const float> points, const Best& best, std::size_t k);

// The same from CSR rows: every query meets, by the points' columns, every point that shares one with it; those that
// share none are all as far as their length says.
Neighbors rank_sparse(const Workers& on, Metric metric, const Points& queries, std::span<const std::uint32_t> self,
                      const Points& points, std::size_t k, const std::function<void(double)>& progress);

}  // namespace bochner
