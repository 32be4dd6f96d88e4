// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>

#include "bochner/drawn.h"
#include "methods/bins/draw_grid.h"

namespace bochner {

namespace {

template <class T>
void add_grid(const Grid<T>& grid, std::size_t g, DrawnGrids& all) {
  std::copy(grid.shift.begin(), grid.shift.end(), &all.shift(g, 0));
  std::copy(grid.per_pitch.begin(), grid.per_pitch.end(), &all.per_pitch(g, 0));
  std::copy(grid.low.begin(), grid.low.end(), &all.low(g, 0));
  std::copy(grid.high.begin(), grid.high.end(), &all.high(g, 0));
}

}  // namespace

DrawnGrids drawn_grids(std::size_t inputs, const BinningOptions& options, std::span<const std::uint64_t> draws,
                       bool double_precision) {
  check_binning(inputs, options);
  DrawnGrids all{Matrix<double>(draws.size(), inputs), Matrix<double>(draws.size(), inputs),
                 Matrix<std::uint32_t>(draws.size(), inputs), Matrix<std::uint32_t>(draws.size(), inputs)};
  for (std::size_t g = 0; g < draws.size(); ++g) {
    if (double_precision)
      add_grid(draw_grid<double>(inputs, options, draws[g]), g, all);
    else
      add_grid(draw_grid<float>(inputs, options, draws[g]), g, all);
  }
  return all;
}

}  // namespace bochner
