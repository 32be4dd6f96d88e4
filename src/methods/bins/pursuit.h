// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <vector>

#include "methods/bins/sweeps.h"

namespace bochner {

constexpr std::size_t kPursuitRows = 32768;  // that alignment is measured on, at most

// The bins that rows fall into in the grids drawn for pursuit, for fits of the same rows and grids that differ in
// lambda alone: finding them takes most of a fit's time.
class DrawnBins {
 public:
  static std::size_t bytes(std::size_t rows, std::size_t draws) { return rows * draws * sizeof(Number); }
  // Many rows take long to sum as well, and their bins would take much of the memory.
  static bool worth_keeping(std::size_t rows, std::size_t draws, double memory);

  explicit DrawnBins(std::size_t draws) : draws_(draws) {}

 private:
  template <class T>
  friend class GridPursuit;
  using Number = std::uint16_t;
  struct Draw {
    std::size_t bins = 0;
    std::vector<Number> columns = {};  // one per row; empty: not found yet
  };
  std::vector<Draw> draws_;
};

// Chooses, of several drawn grids, the one that explains most of what is left: matching pursuit over random bins.
// The gain of a grid's step is sum_c G_c^2 / (H_c + shift), but a bin of few rows gains by noise alone; counting
// only products of different rows, G_c^2 - sum g_i^2, leaves what other rows of the bin agree on.
template <class T>
class GridPursuit {
 public:
  // Alignment is measured on at most `most_rows` rows, taken at even distances.
  GridPursuit(Threads& threads, const GridRows<T>& rows, const BinningOptions& binning, DrawnBins* kept = nullptr,
              std::size_t most_rows = kPursuitRows);

  // The best of the draws first .. first + count - 1, the first of equals.
  std::uint64_t choose(const GridSweeper& sweeper, double shift, std::uint64_t first, std::size_t count);

 private:
  double gain(std::uint64_t draw, double shift, std::size_t outputs) const;
  // The bin of each row, and how many there are.
  std::size_t find_bins(std::uint64_t draw, std::vector<std::uint32_t>& columns) const;

  Threads& threads_;
  const BinningOptions& binning_;
  DrawnBins* kept_;
  GridRows<T> some_;
  std::vector<std::size_t> rows_;  // their numbers among all
  double scale_ = 1;               // sampled rows / rows
  std::vector<float> slope_, curvature_;
};

}  // namespace bochner
