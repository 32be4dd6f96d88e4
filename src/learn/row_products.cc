// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/row_products.h"

#include <algorithm>
#include <numeric>

#include "base/pieces.h"
#include "folds/gram.h"
#include "solve/fixed_order.h"

namespace bochner {

namespace {
constexpr std::size_t kPieceColumns = 256;
constexpr std::size_t kPieceRows = 64;
}  // namespace

std::size_t ScaledRows::tile_for(std::size_t rows) { return GramFold::tile_for(rows); }

ScaledRows::ScaledRows(const DenseRows& given, std::vector<std::size_t> which, std::vector<double> roots, bool centred,
                       Threads& threads)
    : z(given), rows(std::move(which)), root(std::move(roots)), mean(features_of(z), 0.0) {
  if (!centred) return;
  double weight = 0;
  for (const double r : root) weight += r * r;
  in_pieces(threads, mean.size(), kPieceColumns, [&](std::size_t first, std::size_t count) {
    std::vector<double> part(count);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      copy_columns(rows[i], first, count, part.data());
      for (std::size_t j = 0; j < count; ++j) mean[first + j] += root[i] * root[i] / weight * part[j];
    }
  });
}

TiledSymmetric<double> ScaledRows::products(Threads& threads) const {
  const std::size_t n = rows.size(), D = features();
  TiledSymmetric<double> sum(n, tile_for(n));
  Matrix<double> panel(std::min(kPanel, D), n);  // columns of A as rows
  for (std::size_t first = 0; first < D; first += kPanel) {
    const std::size_t width = std::min(kPanel, D - first);
    in_pieces(threads, n, kPieceRows, [&](std::size_t begin, std::size_t count) {
      std::vector<double> row(width);
      for (std::size_t i = begin; i < begin + count; ++i) {
        copy_columns(rows[i], first, width, row.data());
        for (std::size_t j = 0; j < width; ++j) panel(j, i) = root[i] * (row[j] - mean[first + j]);
      }
    });
    const auto part = [&](std::size_t I) {
      return MatrixView<const double>{&panel(0, I * sum.tile()), width, sum.extent(I), n};
    };
    threads.run(sum.tile_count(), [&](std::size_t t, int) {
      const auto [I, J] = tile_index(t);
      fixed_order::add_product(part(I), part(J), sum.block(I, J));
    });
  }
  return sum;
}

Matrix<double> ScaledRows::combination(MatrixView<const double> alpha, Threads& threads) const {
  const std::size_t D = features();
  Matrix<double> sum(D, alpha.cols);
  in_pieces(threads, D, kPieceColumns, [&](std::size_t first, std::size_t count) {
    std::vector<double> part(count);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      copy_columns(rows[i], first, count, part.data());
      for (std::size_t j = 0; j < count; ++j) {
        const double a = root[i] * (part[j] - mean[first + j]);
        for (std::size_t k = 0; k < alpha.cols; ++k) sum(first + j, k) += a * alpha(i, k);
      }
    }
  });
  return sum;
}

}  // namespace bochner
