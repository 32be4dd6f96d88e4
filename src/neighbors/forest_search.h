// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>

#include "bochner/map.h"
#include "neighbors/compare.h"
#include "neighbors/forest.h"

namespace bochner {

using SearchProgress = std::function<void(const std::string& step, double done)>;

// What a search that is not exact is measured by: some rows, and the distances of their true neighbours.
struct RecallSample {
  std::vector<std::uint32_t> places;
  std::size_t k = 0;
  Neighbors truth;

  // The share of the true neighbours that are among those found: rows as near as the k-th count, whichever they are.
  double recall(const Neighbors& found) const;
};
RecallSample recall_sample(const Workers& on, Metric metric, MatrixView<const float> points, std::size_t k,
                           std::uint64_t seed);

// Points in fewer coordinates, their leading components, where most neighbours stay neighbours: the `candidates` best
// there hold a share of the true ones that leaves room for the search to lose some.
struct Coordinates {
  MapPtr map;          // null: the points themselves
  Matrix<float> rows;  // of the points; empty: the points themselves
  std::vector<float> half;
  std::size_t dims = 0, candidates = 0;

  Field field(MatrixView<const float> points) const {
    return {map ? MatrixView<const float>(rows.view()) : points, half};
  }
  // Of other rows.
  Matrix<float> of(const Workers& on, MatrixView<const float> queries) const;
};
Coordinates choose_coordinates(const Workers& on, MatrixView<const float> points, const RecallSample& sample,
                               const IndexOptions& options);

// Coordinates by a known map.
Coordinates coordinates_by(const Workers& on, MapPtr map, MatrixView<const float> points, std::size_t candidates);

// Candidates from the leaves that queries fall into.
void meet_leaves(const Workers& on, const Tree& tree, const Queries& queries, const Field& points, Best& best);

// A forest for queries: trees are added until the sample's rows find their neighbours.
struct Forest {
  Coordinates coordinates;
  std::vector<Tree> trees;
  std::size_t leaf = 0;
  double recall = 1;

  Neighbors query(const Workers& on, Metric metric, const Queries& queries, MatrixView<const float> points,
                  std::size_t k) const;
};
Forest grow_forest(const Workers& on, MatrixView<const float> points, const RecallSample& sample,
                   const IndexOptions& options, const SearchProgress& progress);

}  // namespace bochner
