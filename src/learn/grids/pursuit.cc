// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/grids/pursuit.h"

#include <algorithm>

#include "maps/draw_grid.h"

namespace bochner {

template <class T>
GridPursuit<T>::GridPursuit(Threads& threads, const GridRows<T>& rows, const BinningOptions& binning,
                            std::size_t most_rows)
    : threads_(threads), binning_(binning) {
  const std::size_t step = (rows.rows + most_rows - 1) / most_rows;
  some_.inputs = rows.inputs;
  some_.on = rows.on;
  for (const PackedRows<T>& block : rows.blocks) {
    std::vector<std::uint32_t> chosen;
    for (std::size_t i = (step - block.first % step) % step; i < block.rows; i += step) {
      chosen.push_back(std::uint32_t(i));
      rows_.push_back(block.first + i);
    }
    some_.blocks.push_back(select_rows<T>(block, chosen));
    some_.blocks.back().first = some_.rows;
    some_.rows += chosen.size();
  }
  scale_ = rows.rows ? double(some_.rows) / double(rows.rows) : 1;
}

template <class T>
std::uint64_t GridPursuit<T>::choose(const GridSweeper& sweeper, double shift, std::uint64_t first, std::size_t count) {
  sweeper.slopes(slope_, curvature_);
  const std::size_t K = sweeper.outputs();
  std::vector<double> gain(count);
  threads_.run(count, [&](std::size_t candidate, int) {
    thread_local BinScratch scratch;
    thread_local std::vector<std::uint32_t> columns;
    columns.resize(some_.rows);
    const Grid<T> grid = draw_grid<T>(some_.inputs, binning_, first + candidate);
    const OccupiedBins bins = occupy(some_, grid, BinningOptions{}, {}, scratch, columns.data());
    struct Sums {
      double slope = 0, squares = 0, curvature = 0;
    };
    std::vector<Sums> sums(bins.size() * K);
    for (std::size_t i = 0; i < some_.rows; ++i) {
      for (std::size_t k = 0; k < K; ++k) {
        Sums& sum = sums[columns[i] * K + k];
        const double g = slope_[rows_[i] * K + k];
        sum.slope += g;
        sum.squares += g * g;
        sum.curvature += double(curvature_[rows_[i] * K + k]);
      }
    }
    for (const Sums& sum : sums) {
      if (sum.curvature + shift > 0)
        gain[candidate] += (sum.slope * sum.slope - sum.squares) / (sum.curvature + shift * scale_);
    }
  });
  return first + std::uint64_t(std::max_element(gain.begin(), gain.end()) - gain.begin());
}

template class GridPursuit<float>;
template class GridPursuit<double>;

}  // namespace bochner
