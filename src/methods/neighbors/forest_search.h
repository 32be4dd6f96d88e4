// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "methods/neighbors/coordinates.h"
#include "methods/neighbors/forest.h"

namespace bochner {

// A forest for queries: trees are added until the sample's rows find their neighbours.
struct Forest {
  Coordinates coordinates;
  std::vector<Tree> trees;
  std::size_t leaf = 0;
  double recall = 1;

  Neighbors query(const Workers& on, const PointSearch& search) const;
};
Forest grow_forest(const Workers& on, const Points& points, const RecallSample& sample, const IndexOptions& options,
                   const SearchProgress& progress);

}  // namespace bochner
