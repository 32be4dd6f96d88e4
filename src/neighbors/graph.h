// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "neighbors/forest_search.h"

namespace bochner {

// The neighbours of all points: a few trees, then neighbours of neighbours, by turns until the sample is content.
struct Graph {
  Neighbors neighbors;
  std::size_t dims = 0, trees = 0, leaf = 0, candidates = 0;
  double recall = 1;
};
Graph grow_graph(const Workers& on, const Points& points, const RecallSample& sample, const IndexOptions& options,
                 const SearchProgress& progress);

}  // namespace bochner
