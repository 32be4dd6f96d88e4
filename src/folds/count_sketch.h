// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/workers.h"
#include "bochner/matrix.h"
#include "folds/normal_product.h"
#include "folds/stored_rows.h"

namespace bochner {

// CountSketch. Clarkson & Woodruff, STOC 2013: row i is added to bucket h(i) with sign s(i),
//   B = S sqrt(W) Z,   E[B^T B] = Z^T W Z.
// h and s are draws of the global row number, and a bucket adds its rows in their order, so the bits do not depend
// on threads or blocks. Unlike a sample of rows it misses none, however uneven their leverage.
//
// A visitor, not a fold: buckets are sums in float of rows in their order, so sketches of parts would not merge to the
// bit. It holds `count` of the buckets, from `first` on: where rows are cheap to pass over again, a few buckets at
// a time need no more memory than themselves.
class CountSketch {
 public:
  // Where each row goes. Drawn once for all sketches of some of the buckets where `remembered`, for 4 bytes a row.
  class Places {
   public:
    Places(const Workers& on, std::size_t rows, std::size_t buckets, std::uint64_t seed, bool remembered);
    // Every row in rows a bucket of its own, in their order; other rows have none.
    Places(std::size_t count, std::span<const std::size_t> rows);
    std::size_t buckets() const { return buckets_; }
    std::uint32_t of(std::uint64_t row) const { return row < known_.size() ? known_[row] : draw(row); }
    static std::size_t bucket(std::uint32_t place) { return place >> 1; }
    static bool positive(std::uint32_t place) { return place & 1; }

   private:
    std::uint32_t draw(std::uint64_t row) const;

    std::size_t buckets_;
    std::uint64_t seed_ = 0;
    std::vector<std::uint32_t> known_;
  };

  // weights: W, one of each row; empty: 1. ones: a column of ones stands behind the features.
  CountSketch(const KeptRows& rows, const Places& places, std::span<const double> weights, std::size_t first,
              std::size_t count, bool ones = false);

  template <class T>
  void add(const Workers& on, std::span<const StoredRows<T>> chunks);

  // B - (S sqrt(W) 1) m^T, the sketch of rows about their mean m (empty: 0); in units of features. count rows.
  MatrixView<const float> about(const Workers& on, std::span<const double> mean);

 private:
  const KeptRows& rows_;
  const Places& places_;
  std::span<const double> weights_;
  std::size_t first_;
  bool with_ones_;
  Matrix<float> sums_;
  std::vector<double> ones_;  // S sqrt(W) 1
};

}  // namespace bochner
