// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto distances = open_rows("roads.csv", {.target_required = false});  // n rows of n distances
//   const Model map = mds(*distances, {.rank = 2});
//   map.save("roads.mds");  // transform writes the coordinates of rows of distances

#include <cstddef>

#include "bochner/execution.h"
#include "bochner/figures.h"
#include "bochner/model.h"
#include "bochner/rows.h"

namespace bochner {

struct MdsOptions {
  std::size_t rank = 2;
  Execution execution = {};
};

// Metric multidimensional scaling (Torgerson 1952): points whose Euclidean distances are about those that are given.
// The rows have a column for each landmark: the first L rows are the L landmarks in the order of the columns, and the
// others are placed by their distances to them (de Silva & Tenenbaum 2004). With all rows as landmarks it is classical
// scaling. The coordinates are the leading eigenvectors of -J D^2 J / 2 times the roots of their eigenvalues.
// A model that maps distances to the landmarks to coordinates, new rows too. The head has the figures "eigenvalues" and
// "shares": each eigenvalue by the sum of the sizes of all, of which negative ones say that no points have these
// distances. Error::Kind::data for a negative distance or an empty cell, and for a square that is not symmetric or has
// a diagonal that is not 0.
Model mds(Rows& rows, const MdsOptions& options = {});

}  // namespace bochner
