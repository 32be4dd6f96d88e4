// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bochner/matrix.h"
#include "methods/automatic/twofold.h"

namespace bochner {

// What the levels of a text tell of targets: of each level the means of targets, shrunk towards the mean of all rows by
// empirical Bayes, and how many rows it has.
//   m_l = (w_l ybar_l + k mu) / (w_l + k),  k = sigma^2 / tau^2,
// w_l the weight of the level's rows, sigma^2 the variance inside levels, tau^2 that between them, by moments
// (DerSimonian & Laird 1986). Levels that tell no more than chance would (tau^2 <= 0) all have the mean of all rows.
class LevelSums {
 public:
  // levels: from 1; rows of level 0 have none and count for the mean alone.
  LevelSums(std::size_t levels, std::size_t targets);

  void add(std::size_t level, const double* y, double weight);
  void settle();  // after the last row: finds mu and k

  std::size_t levels() const { return weight_.size() - 1; }
  std::size_t width() const { return targets_ + 1; }
  double weight(std::size_t level) const { return weight_[level]; }
  const double* sum(std::size_t level) const { return sum_.data() + level * targets_; }
  // The shrunk means and log(1 + w_l), less some rows of the level with this sum of targets and weight.
  void values(std::size_t level, const double* less, double less_weight, double* out) const;

 private:
  std::size_t targets_;
  std::vector<double> weight_, sum_;   // levels' rows
  std::vector<double> squares_;        // all rows, a sum for each target
  std::vector<double> mean_, shrink_;  // mu and k, infinite if levels tell nothing
};

// A coded input (rows/column_inputs.h) of a race: the inputs that it becomes, and how they are found without the row
// itself.
struct LevelColumn {
  std::size_t input = 0;                  // its place among those of the rows
  std::size_t first = 0;                  // the place of the first input that it becomes
  std::vector<std::size_t> told;          // targets whose means enter: those of greatest variance if there are many
  std::vector<double> center, factor;     // scale of what enters
  TwofoldColumn column = {};              // what new rows enter as, by all rows
  std::vector<std::uint32_t> codes = {};  // one per row of the race
};

// The column by the sums of all rows; told: targets that were summed.
LevelColumn level_column(const LevelSums& sums, std::vector<std::size_t> told);

// Rows of a race, by level.
struct LevelRows {
  MatrixView<const double> y;
  std::span<const double> weights;       // empty: all 1
  std::span<const std::uint32_t> parts;  // a row's own part tells it nothing
  std::span<const char> left_out = {};   // rows that tell nothing; all others tell them. Empty: none
};

// Puts what the level of each row tells, but for the rows of its own part, into the inputs of the column.
void enter_levels(const LevelColumn& column, const LevelRows& rows, MatrixView<float> x);

}  // namespace bochner
