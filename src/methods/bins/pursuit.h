// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <vector>

#include "methods/bins/sweeps.h"

namespace bochner {

constexpr std::size_t kPursuitRows = 32768;  // that alignment is measured on, at most

// Chooses, of several drawn grids, the one that explains most of what is left: matching pursuit over random bins.
// The gain of a grid's step is sum_c G_c^2 / (H_c + shift), but a bin of few rows gains by noise alone; counting
// only products of different rows, G_c^2 - sum g_i^2, leaves what other rows of the bin agree on.
template <class T>
class GridPursuit {
 public:
  // Alignment is measured on at most `most_rows` rows, taken at even distances.
  GridPursuit(Threads& threads, const GridRows<T>& rows, const BinningOptions& binning,
              std::size_t most_rows = kPursuitRows);

  // The best of the draws first .. first + count - 1, the first of equals.
  std::uint64_t choose(const GridSweeper& sweeper, double shift, std::uint64_t first, std::size_t count);

 private:
  double gain(std::uint64_t draw, double shift, std::size_t outputs) const;

  Threads& threads_;
  const BinningOptions& binning_;
  GridRows<T> some_;
  std::vector<std::size_t> rows_;  // their numbers among all
  double scale_ = 1;               // sampled rows / rows
  std::vector<float> slope_, curvature_;
};

}  // namespace bochner
