// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>

#include "methods/neighbors/codes.h"
#include "methods/neighbors/points.h"

namespace bochner {

// Dense rows that look for neighbours. self: the place of each among the points, which it does not meet; empty: they
// are no points.
struct Queries {
  MatrixView<const float> rows;
  std::span<const std::uint32_t> self = {};
};
// Dense points, with what half_norms found.
struct Field {
  MatrixView<const float> rows;
  std::span<const float> half;
};

// Every query meets every point: the products of two matrices, of which only the best stay. Rows that are not plain are
// made a panel at a time.
void meet_all(const Workers& on, const Queries& queries, const DenseRows& rows, std::span<const float> half, Best& best,
              const std::function<void(double)>& progress = {});
inline void meet_all(const Workers& on, const Queries& queries, const Field& points, Best& best) {
  meet_all(on, queries, DenseRows::of(points.rows), points.half, best);
}

// Queries that meet only some of the points: both by their places.
struct Meeting {
  std::span<const std::uint32_t> queries, points;
};
// Several of them at once, in which no query occurs twice.
void meet_some(const Workers& on, const Queries& queries, const Field& points, std::span<const Meeting> meetings,
               Best& best);

// How candidates become neighbours.
struct Ranking {
  Metric metric;
  std::size_t k;
  // |x|^2 of each query where `best` was found by distances in fewer, orthogonal coordinates. Distances there are never
  // above the true ones: candidates that are farther there than the k-th is here need not be looked at. Empty: all are.
  std::span<const double> origins = {};
  const Codes* codes = nullptr;               // where the queries are points: what their bytes rule out is not compared
  std::span<const std::uint32_t> self = {};   // which points they are, with codes; empty: all of them
  std::span<const std::uint32_t> order = {};  // order of ranking queries: near ones share cached rows; empty: as is
};
// The k best candidates of each query, compared in all inputs from differences in double (inner products likewise), as
// places; -1 where there are fewer. Distances as Neighbors has them, of the scaled points.
Neighbors rank_candidates(const Workers& on, const Ranking& ranking, const DenseRows& queries, const DenseRows& points,
                          const Best& best);

// The k nearest points of each query, dense or CSR alike.
struct PointSearch {
  Metric metric;
  const Points& queries;
  std::span<const std::uint32_t> self;
  const Points& points;
  std::size_t k;
  std::span<const float> half = {};  // half_norms of the points where they are known
};
// Ranks CSR rows: a query meets, by the columns of the points, every point that shares one with it; those that share
// none are as far as their lengths say.
Neighbors rank_sparse(const Workers& on, const PointSearch& search, const std::function<void(double)>& progress);

// Every pair, dense or CSR.
Neighbors search_exact(const Workers& on, const PointSearch& search, const std::function<void(double)>& progress = {});

// Places of the points that query i is compared with, each once; valid until the thread asks again.
using CandidatesOf = std::function<std::span<const std::uint32_t>(std::size_t i, int thread)>;
// The k best of each query's candidates, compared in all inputs. Distances only: no inner products of dense rows.
Neighbors rank_lists(const Workers& on, const PointSearch& search, const CandidatesOf& candidates);
Neighbors rank_sparse_lists(const Workers& on, const PointSearch& search, const CandidatesOf& candidates);
// The same of the best in fewer coordinates.
Neighbors rank_candidates(const Workers& on, const PointSearch& search, const Best& best);

}  // namespace bochner
