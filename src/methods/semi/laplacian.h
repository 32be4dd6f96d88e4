// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <vector>

#include "base/threads.h"
#include "bochner/matrix.h"
#include "bochner/neighbors.h"

namespace bochner {

// L = I - S, S_ij = w_ij / sqrt(d_i d_j), d_i = sum_j w_ij: the normalised Laplacian of a graph in which i and j are
// neighbours if either is among the nearest of the other, with the weights
//   w_ij = exp(-r_ij^2 / (s_i s_j)),  s_i the distance of i to its farthest neighbour
// (Zelnik-Manor & Perona, NIPS 2004). A row without neighbours has zeros.
class Laplacian {
 public:
  explicit Laplacian(const Neighbors& graph);

  std::size_t rows() const { return offsets_.size() - 1; }
  std::size_t edges() const { return columns_.size() / 2; }

  // Z^T L Z, in double and one order of additions: the same bits for any threads and on every machine.
  Matrix<double> between(MatrixView<const double> z, Threads& threads) const;

 private:
  void apply(MatrixView<const double> z, std::size_t row, double* out) const;  // a row of L Z

  std::vector<std::size_t> offsets_;  // where row i begins in columns and shares
  std::vector<std::uint32_t> columns_;
  std::vector<double> shares_;  // S
};

}  // namespace bochner
