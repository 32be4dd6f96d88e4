// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "methods/neighbors/coordinates.h"

namespace bochner {

// The neighbours of all points: those of as many near cells as the sample needs. A recall below the one that was asked
// for: too many points would be compared, and nothing was found.
struct Graph {
  Neighbors neighbors = {};
  std::size_t dims = 0, cells = 0, nearest = 0, candidates = 0;
  double recall = 0;
};
// codes: of the points; null where they have none.
Graph grow_graph(const Workers& on, const Points& points, const Codes* codes, const RecallSample& sample,
                 const IndexOptions& options, const SearchProgress& progress);

}  // namespace bochner
