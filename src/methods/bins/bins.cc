// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/bins/bins.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "methods/bins/draw_grid.h"

namespace bochner {

namespace {

// Bins a grid will need for n rows after the first m gave `seen`: new ones come ever more slowly.
std::size_t expected_bins(std::size_t seen, std::size_t m, std::size_t n) {
  return std::min(n, std::size_t(double(seen) * std::pow(double(n) / double(m), 0.7)));
}

// Forgets rare bins and all but the fullest: renumbers the others in their old order.
void forget(const BinningOptions& options, OccupiedBins& bins, std::vector<std::uint32_t>& rows_in, std::size_t rows,
            std::uint32_t* columns) {
  std::vector<std::uint32_t> kept;
  for (std::uint32_t c = 0; c < rows_in.size(); ++c)
    if (rows_in[c] >= options.min_rows) kept.push_back(c);
  if (options.max_bins > 0 && kept.size() > options.max_bins) {
    const auto fuller = [&](std::uint32_t a, std::uint32_t b) {
      return rows_in[a] != rows_in[b] ? rows_in[a] > rows_in[b] : a < b;
    };
    std::nth_element(kept.begin(), kept.begin() + std::ptrdiff_t(options.max_bins), kept.end(), fuller);
    kept.resize(options.max_bins);
    std::sort(kept.begin(), kept.end());
  }
  if (kept.size() == rows_in.size()) return;
  std::vector<std::uint32_t> renumbered(rows_in.size(), std::uint32_t(kept.size()));
  for (std::uint32_t k = 0; k < kept.size(); ++k) {
    renumbered[kept[k]] = k;
    bins.hashes[k] = bins.hashes[kept[k]];
    bins.mass[k] = bins.mass[kept[k]];
  }
  bins.hashes.resize(kept.size());
  bins.hashes.shrink_to_fit();
  bins.mass.resize(kept.size());
  bins.mass.shrink_to_fit();
  for (std::size_t i = 0; i < rows; ++i) columns[i] = renumbered[columns[i]];
}

}  // namespace

template <class T>
OccupiedBins occupy(const GridRows<T>& rows, const Grid<T>& grid, const BinningOptions& options,
                    std::span<const float> weight, BinScratch& scratch, std::uint32_t* columns) {
  scratch.index.clear();
  scratch.hashes.resize(GridRows<T>::kBlock);
  std::size_t at = 0;
  for (const PackedRows<T>& block : rows.blocks) {
    rows.on->bin_hashes(block, grid, scratch.hashes.data());
    scratch.index.insert({scratch.hashes.data(), block.rows}, columns + at);
    if (at == 0) scratch.index.reserve(expected_bins(scratch.index.size(), block.rows, rows.rows));
    at += block.rows;
  }
  OccupiedBins bins;
  bins.hashes = scratch.index.keys();
  scratch.rows.assign(bins.size(), 0);
  for (std::size_t i = 0; i < rows.rows; ++i) ++scratch.rows[columns[i]];
  if (weight.empty()) {
    bins.mass.assign(scratch.rows.begin(), scratch.rows.end());
  } else {
    bins.mass.assign(bins.size(), 0);
    for (std::size_t i = 0; i < rows.rows; ++i) bins.mass[columns[i]] += weight[i];
  }
  if (options.min_rows > 1 || options.max_bins > 0) forget(options, bins, scratch.rows, rows.rows, columns);
  return bins;
}

template OccupiedBins occupy(const GridRows<float>&, const Grid<float>&, const BinningOptions&, std::span<const float>,
                             BinScratch&, std::uint32_t*);
template OccupiedBins occupy(const GridRows<double>&, const Grid<double>&, const BinningOptions&,
                             std::span<const float>, BinScratch&, std::uint32_t*);

template <class T>
GridBins bin_rows(Threads& threads, const GridRows<T>& rows, const BinningOptions& options,
                  std::span<const float> weight) {
  GridBins bins;
  bins.rows = rows.rows;
  bins.columns.resize(options.grids * rows.rows);
  bins.grids.resize(options.grids);
  std::vector<BinScratch> scratch(std::size_t(threads.count()));
  threads.run(options.grids, [&](std::size_t g, int thread) {
    bins.grids[g] = occupy(rows, draw_grid<T>(rows.inputs, options, g), options, weight, scratch[std::size_t(thread)],
                           bins.columns.data() + g * rows.rows);
  });
  return bins;
}

template GridBins bin_rows(Threads&, const GridRows<float>&, const BinningOptions&, std::span<const float>);
template GridBins bin_rows(Threads&, const GridRows<double>&, const BinningOptions&, std::span<const float>);

}  // namespace bochner
