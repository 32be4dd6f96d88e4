// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "folds/covariance.h"

#include <algorithm>

#include "base/aligned.h"
#include "base/pieces.h"

namespace bochner {

namespace {

constexpr std::size_t kPieceRows = 192;

// a = x - m of one row, dense.
template <class C, class T>
void center_row(const RowBlock<T>& x, std::size_t i, const std::vector<double>& mean, C* a) {
  if (x.sparse()) {
    for (std::size_t j = 0; j < x.cols; ++j) a[j] = mean.empty() ? C(0) : C(-mean[j]);
    for (std::size_t p = x.offsets[i]; p < x.offsets[i + 1]; ++p) {
      const std::size_t j = x.columns[p];
      a[j] = C(double(x.values[p]) - (mean.empty() ? 0 : mean[j]));
    }
    return;
  }
  const T* const row = x.values + i * x.stride;
  if (mean.empty())
    std::copy_n(row, x.cols, a);
  else
    for (std::size_t j = 0; j < x.cols; ++j) a[j] = C(double(row[j]) - mean[j]);
}

}  // namespace

template <class T>
void CovarianceFold::add(const Workers& on, const RowBlock<T>& x) {
  if (wide_)
    add_as<double>(on, x);
  else
    add_as<T>(on, x);
}

template <class C, class T>
void CovarianceFold::add_as(const Workers& on, const RowBlock<T>& x) {
  if constexpr (std::is_same_v<C, T>)
    if (!x.sparse() && mean_.empty()) return gram_.add(on, RowBlock<T>::dense(x.view(), x.first));
  AlignedVector<C> centered(x.rows * x.cols);
  each_in_pieces(on.threads, x.rows, kPieceRows,
                 [&](std::size_t i) { center_row(x, i, mean_, centered.data() + i * x.cols); });
  gram_.add(on, RowBlock<C>::dense({centered.data(), x.rows, x.cols, x.cols}, x.first));
}

template void CovarianceFold::add(const Workers&, const RowBlock<float>&);
template void CovarianceFold::add(const Workers&, const RowBlock<double>&);

Matrix<double> CovarianceFold::matrix(Threads& threads) const {
  TiledSymmetric<double> tiles = gram_.gram(threads);
  Matrix<double> all(tiles.size(), tiles.size());
  threads.run(tiles.tile_count(), [&](std::size_t t, int) {
    const auto [I, J] = tile_index(t);
    const MatrixView<double> block = tiles.block(I, J);
    for (std::size_t i = 0; i < block.rows; ++i)
      for (std::size_t j = 0; j < block.cols; ++j) {
        const std::size_t r = I * tiles.tile() + i, c = J * tiles.tile() + j;
        if (c > r) continue;
        all(r, c) = all(c, r) = block(i, j);
      }
  });
  return all;
}

}  // namespace bochner
