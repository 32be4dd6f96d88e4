// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.h"
#include "base/hash_index.h"
#include "bochner/binning.h"
#include "methods/bins/rows.h"

namespace bochner {

// The occupied bins of one grid. Bins are numbered in the order of their first rows.
struct OccupiedBins {
  std::vector<std::uint64_t> hashes;
  std::vector<float> mass;  // rows in the bin, or the sum of their weights

  std::size_t size() const { return hashes.size(); }
};

// Puts all rows into the bins of one grid: columns[i] is the bin of row i, or size() where that bin is
// forgotten (options.min_rows, options.max_bins). One thread; `scratch` is reused from grid to grid.
struct BinScratch {
  HashIndex index;
  std::vector<std::uint64_t> hashes;
  std::vector<std::uint32_t> rows;
};
template <class T>
OccupiedBins occupy(const GridRows<T>& rows, const Grid<T>& grid, const BinningOptions& options,
                    std::span<const float> weight, BinScratch& scratch, std::uint32_t* columns);

// The bins of every row in every grid, grid by grid: 4 bytes each.
struct GridBins {
  std::size_t rows = 0;
  AlignedVector<std::uint32_t> columns;  // grids x rows
  std::vector<OccupiedBins> grids;

  const std::uint32_t* of(std::size_t g) const { return columns.data() + g * rows; }
};
template <class T>
GridBins bin_rows(Threads& threads, const GridRows<T>& rows, const BinningOptions& options,
                  std::span<const float> weight);

}  // namespace bochner
