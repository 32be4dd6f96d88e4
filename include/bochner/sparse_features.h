// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto rows = open_rows("cars.csv", {.target_required = false});
//   BinningOptions options;
//   options.grids = 100;
//   const MapPtr map = binning(*rows, options);  // the bins that these rows fall into
//   const SparseRows<float> z = transform_sparse<float>(map, *rows);
//   std::printf("%zu rows, %zu numbers", z.rows(), z.values.size());

#include "bochner/binning.h"
#include "bochner/execution.h"
#include "bochner/map.h"
#include "bochner/rows.h"
#include "bochner/sparse_rows.h"

namespace bochner {

// Random binning features of the rows as they are: one output for each bin of each grid that a row falls into, whose
// value is 1 / sqrt(grids) in such a row. Rahimi & Recht 2007, Algorithm 2. The rows lie in memory meanwhile. T: what
// rows are read as, float or double. The same map for any threads and blocks.
template <class T = float>
MapPtr binning(Rows& rows, const BinningOptions& options, const Execution& execution = {});

// transform() for a map that puts out CSR (Map::nonzeros()), as CSR. std::invalid_argument for others.
template <class T>
SparseRows<T> transform_sparse(const MapPtr& map, Rows& rows, const Execution& execution = {});

}  // namespace bochner
