// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>
#include <vector>

#include "base/tiled_symmetric.h"
#include "run/feature_store.h"

namespace bochner {

inline std::size_t rows_of(const DenseRows& z) {
  return std::visit([](const auto& block) { return block.rows; }, z);
}
inline std::size_t features_of(const DenseRows& z) {
  return std::visit([](const auto& block) { return block.cols; }, z);
}

// A = diag(r) (Z - 1 m^T) of some of the rows in memory. All that a linear learner can know of fewer rows than features
// is in A A^T: n x n numbers instead of D x D. Products are in double, panel by panel of columns in a fixed order: the
// same bits for any threads and on every machine.
struct ScaledRows {
  DenseRows z;
  std::vector<std::size_t> rows;  // which, in the order of A
  std::vector<double> root;       // r, one per row of A
  std::vector<double> mean;       // m, one per feature

  ScaledRows(const DenseRows& z, std::vector<std::size_t> rows, std::vector<double> root, bool centred,
             Threads& threads);  // centred: m is the mean by the weights r^2; otherwise 0

  TiledSymmetric<double> products(Threads& threads) const;                             // A A^T
  Matrix<double> combination(MatrixView<const double> alpha, Threads& threads) const;  // A^T alpha: D x k

  // Columns of row i of z, in double.
  void copy_columns(std::size_t i, std::size_t first, std::size_t count, double* out) const {
    std::visit([&](const auto& block) { std::copy_n(block.values + i * block.stride + first, count, out); }, z);
  }
  std::size_t features() const { return mean.size(); }

  static constexpr std::size_t kPanel = 512;      // columns of A that lie there in double at a time
  static std::size_t tile_for(std::size_t rows);  // the products' tile
};

}  // namespace bochner
