// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>
#include <cstddef>

#include "base/aligned.h"
#include "base/pieces.h"
#include "bochner/matrix.h"

namespace bochner {

// The lower triangle of a symmetric size x size matrix in square tiles, so that half the memory suffices and
// each tile is a dense row-major matrix for BLAS and for one thread. Edge tiles are stored whole.
// Tiles on the diagonal hold both of their halves.
template <class T>
class TiledSymmetric {
 public:
  TiledSymmetric() = default;
  TiledSymmetric(std::size_t size, std::size_t tile) : TiledSymmetric(Unwritten(), size, tile) {
    std::fill(values_.begin(), values_.end(), T(0));
  }
  // The same, by all threads: a large matrix is new pages, which the system has to fetch.
  TiledSymmetric(std::size_t size, std::size_t tile, Threads& threads) : TiledSymmetric(Unwritten(), size, tile) {
    each_piece(threads, [&](std::size_t begin, std::size_t n) { std::fill_n(values_.data() + begin, n, T(0)); });
  }
  TiledSymmetric copy(Threads& threads) const {
    TiledSymmetric same(Unwritten(), size_, tile_);
    each_piece(threads, [&](std::size_t begin, std::size_t n) {
      std::copy_n(values_.data() + begin, n, same.values_.data() + begin);
    });
    return same;
  }

  std::size_t size() const { return size_; }
  std::size_t tile() const { return tile_; }
  std::size_t tiles_per_side() const { return count_; }
  std::size_t tile_count() const { return count_ * (count_ + 1) / 2; }
  std::size_t extent(std::size_t I) const { return std::min(tile_, size_ - I * tile_); }
  std::size_t bytes() const { return values_.size() * sizeof(T); }

  // Tile (I, J), J <= I: rows I * tile .., columns J * tile ...
  MatrixView<T> block(std::size_t I, std::size_t J) { return {start(I, J), extent(I), extent(J), tile_}; }
  MatrixView<const T> block(std::size_t I, std::size_t J) const {
    return {const_cast<TiledSymmetric*>(this)->start(I, J), extent(I), extent(J), tile_};
  }
  // Element (i, j), i >= j.
  T& at(std::size_t i, std::size_t j) { return block(i / tile_, j / tile_)(i % tile_, j % tile_); }
  const T& at(std::size_t i, std::size_t j) const { return block(i / tile_, j / tile_)(i % tile_, j % tile_); }

  AlignedVector<T>& values() { return values_; }
  const AlignedVector<T>& values() const { return values_; }
  bool operator==(const TiledSymmetric&) const = default;

 private:
  struct Unwritten {};
  TiledSymmetric(Unwritten, std::size_t size, std::size_t tile)
      : size_(size), tile_(tile), count_((size + tile - 1) / tile), values_(count_ * (count_ + 1) / 2 * tile * tile) {}

  // use(begin, n): n of the values
  template <class Use>
  void each_piece(Threads& threads, const Use& use) const {
    in_pieces(threads, values_.size(), std::size_t(1) << 16, use);
  }
  T* start(std::size_t I, std::size_t J) { return values_.data() + (I * (I + 1) / 2 + J) * tile_ * tile_; }

  std::size_t size_ = 0, tile_ = 1, count_ = 0;
  AlignedVector<T> values_;
};

// Tile number t of the lower triangle, row by row: t = I (I + 1) / 2 + J.
struct TileIndex {
  std::size_t row, col;
};
inline TileIndex tile_index(std::size_t t) {
  std::size_t row = 0;
  while ((row + 1) * (row + 2) / 2 <= t) ++row;
  return {row, t - row * (row + 1) / 2};
}

}  // namespace bochner
