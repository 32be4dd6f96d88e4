// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/neighbors/forest_search.h"

#include <algorithm>
#include <numeric>

namespace bochner {

namespace {

constexpr std::size_t kLeaf = 256;
constexpr std::size_t kMostTrees = 64;

// About how many leaves of a tree a row meets: each level sends rows near its cut to both sides.
double leaves_met(const Tree& tree, double spill) {
  double met = 1;
  for (std::size_t leaves = 1; leaves < tree.leaves(); leaves *= 2) met *= 1 + 2 * spill;
  return met;
}

// Candidates from the leaves that queries fall into.
void meet_leaves(const Workers& on, const Tree& tree, const Queries& queries, const Field& points, Best& best) {
  const std::vector<std::vector<std::uint32_t>> leaves = tree.find(on, queries.rows);
  std::vector<std::uint32_t> order(queries.rows.rows);
  std::iota(order.begin(), order.end(), 0u);
  // A query meets one leaf at a time: others may meet theirs on other threads.
  for (std::size_t turn = 0; !order.empty(); ++turn) {
    std::erase_if(order, [&](std::uint32_t query) { return leaves[query].size() <= turn; });
    const auto leaf = [&](std::size_t i) { return leaves[order[i]][turn]; };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return leaves[a][turn] < leaves[b][turn]; });
    std::vector<Meeting> meetings;
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
      while (end < order.size() && leaf(end) == leaf(begin)) ++end;
      meetings.push_back({std::span(order).subspan(begin, end - begin), tree.leaf(leaf(begin))});
    }
    meet_some(on, queries, points, meetings, best);
  }
}

}  // namespace

Neighbors Forest::query(const Workers& on, const PointSearch& search) const {
  const MatrixView<const float> queries = search.queries.dense.view();
  const Matrix<float> mapped = coordinates.map ? coordinates.of(on, search.queries) : Matrix<float>();
  const Queries there{coordinates.map ? MatrixView<const float>(mapped.view()) : queries, search.self};
  Best best(queries.rows, std::max(coordinates.candidates, few_candidates(search.k)));
  for (const Tree& tree : trees) meet_leaves(on, tree, there, coordinates.field(search.points), best);
  const std::vector<double> origins = squared_lengths(on, DenseRows::of(there.rows));
  return rank_candidates(on, {search.metric, search.k, origins}, search.queries.dense, search.points.dense, best);
}

Forest grow_forest(const Workers& on, const Points& points, const RecallSample& sample, const IndexOptions& options,
                   const SearchProgress& progress) {
  Forest forest;
  forest.coordinates = choose_coordinates(on, points, sample, with_room(options.recall), options);
  const MatrixView<const float> coords = forest.coordinates.field(points).rows;
  const std::vector<double> spread = spreads(coords);
  forest.leaf = std::max(kLeaf, 2 * forest.coordinates.candidates);
  const std::size_t most = std::min(kMostTrees, std::max<std::size_t>(1, points.size() / forest.leaf / 2));
  const double wanted = sample.with_error(options.recall);
  const std::size_t few = options.spill > 0 ? 1 : 4;  // trees between two looks
  for (std::size_t next = few; forest.trees.size() < most;) {
    forest.trees.push_back(
        Tree::grow(on, coords, spread, options.seed, forest.trees.size(), {forest.leaf, options.spill}));
    if (double(forest.trees.size()) * leaves_met(forest.trees[0], options.spill) > double(most)) break;
    if (forest.trees.size() < std::min(next, most)) continue;
    next += std::max<std::size_t>(std::min<std::size_t>(few, 2), next / 4);
    forest.recall = sample.recall(forest.query(on, {options.metric, sample.queries, sample.places, points, sample.k}));
    if (progress) progress("trees", std::min(0.99, forest.recall / wanted));
    if (forest.recall >= wanted) return forest;
  }
  forest.trees.clear();  // it would compare half of the rows: all of them cost no more
  return forest;
}

}  // namespace bochner
