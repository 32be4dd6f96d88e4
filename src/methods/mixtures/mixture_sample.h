// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bochner/matrix.h"
#include "bochner/row_block.h"

namespace bochner {

// Rows in memory that starts are found on: features, class and weight of each.
struct MixtureSample {
  Matrix<double> x;
  std::vector<double> classes;  // one per row; empty: one group
  std::vector<double> weights;
  std::size_t groups = 1;

  std::size_t rows() const { return x.rows(); }
  RowBlock<double> block() const;
  std::vector<std::size_t> of_group(std::size_t group) const;  // rows that weigh something
  // Every other row of each group: the first, third, ..., or the second, fourth, ...
  MixtureSample half(bool second) const;
};

}  // namespace bochner
