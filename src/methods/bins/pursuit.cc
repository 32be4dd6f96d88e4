// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/bins/pursuit.h"

#include <algorithm>
#include <limits>

#include "methods/bins/draw_grid.h"

namespace bochner {

bool DrawnBins::worth_keeping(std::size_t rows, std::size_t draws, double memory) {
  constexpr double kMostBytes = 1 << 26, kMostOfMemory = 1.0 / 16;
  return rows <= std::numeric_limits<Number>::max() &&
         double(bytes(rows, draws)) <= std::min(kMostBytes, kMostOfMemory * memory);
}

template <class T>
GridPursuit<T>::GridPursuit(Threads& threads, const GridRows<T>& rows, const BinningOptions& binning, DrawnBins* kept,
                            std::size_t most_rows)
    : threads_(threads), binning_(binning), kept_(kept) {
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
std::size_t GridPursuit<T>::find_bins(std::uint64_t draw, std::vector<std::uint32_t>& columns) const {
  thread_local BinScratch scratch;
  columns.resize(some_.rows);
  DrawnBins::Draw* kept = kept_ ? &kept_->draws_[draw] : nullptr;
  if (kept && !kept->columns.empty()) {
    std::copy(kept->columns.begin(), kept->columns.end(), columns.begin());
    return kept->bins;
  }
  const Grid<T> grid = draw_grid<T>(some_.inputs, binning_, draw);
  const std::size_t bins = occupy(some_, grid, BinningOptions{}, {}, scratch, columns.data()).size();
  if (kept) *kept = {bins, {columns.begin(), columns.end()}};
  return bins;
}

template <class T>
double GridPursuit<T>::gain(std::uint64_t draw, double shift, std::size_t outputs) const {
  thread_local std::vector<std::uint32_t> columns;
  const std::size_t bins = find_bins(draw, columns);
  struct Sums {
    double slope = 0, squares = 0, curvature = 0;
  };
  std::vector<Sums> sums(bins * outputs);
  for (std::size_t i = 0; i < some_.rows; ++i) {
    for (std::size_t k = 0; k < outputs; ++k) {
      Sums& sum = sums[columns[i] * outputs + k];
      const double g = slope_[rows_[i] * outputs + k];
      sum.slope += g;
      sum.squares += g * g;
      sum.curvature += double(curvature_[rows_[i] * outputs + k]);
    }
  }
  double all = 0;
  for (const Sums& sum : sums) {
    if (sum.curvature + shift > 0) all += (sum.slope * sum.slope - sum.squares) / (sum.curvature + shift * scale_);
  }
  return all;
}

template <class T>
std::uint64_t GridPursuit<T>::choose(const GridSweeper& sweeper, double shift, std::uint64_t first, std::size_t count) {
  constexpr std::size_t kTogether = 1024;  // so that memory does not depend on how many there are
  sweeper.slopes(slope_, curvature_);
  std::vector<double> gains(std::min(count, kTogether));
  std::uint64_t best = first;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t begin = 0; begin < count; begin += kTogether) {
    gains.resize(std::min(count - begin, kTogether));
    threads_.run(gains.size(), [&](std::size_t candidate, int) {
      gains[candidate] = gain(first + begin + candidate, shift, sweeper.outputs());
    });
    const auto found = std::max_element(gains.begin(), gains.end());
    if (*found > most) {
      most = *found;
      best = first + begin + std::uint64_t(found - gains.begin());
    }
  }
  return best;
}

template class GridPursuit<float>;
template class GridPursuit<double>;

}  // namespace bochner
