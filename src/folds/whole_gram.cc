// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>

#include "backend/exact_product.h"
#include "backend/whole.h"
#include "folds/gram.h"
#include "folds/gram_parts.h"

namespace bochner {

namespace {

constexpr std::size_t kPackedBytes = std::size_t(4) << 20;  // of chunks that are packed together, if one is no larger

// The strips of columns of some chunks, packed.
class PackedStrips {
 public:
  PackedStrips(const ExactProduct& product, std::size_t rows, std::size_t tile, std::size_t strips)
      : strips_(strips), bytes_((product.bytes(std::min(rows, kChunkRows), tile) + 63) / 64 * 64) {}

  std::size_t chunks_together() const { return std::max<std::size_t>(1, kPackedBytes / (strips_ * bytes_)); }
  void make_room(std::size_t chunks) { packed_.resize(chunks * strips_ * bytes_); }
  std::byte* at(std::size_t chunk, std::size_t strip) { return packed_.data() + (chunk * strips_ + strip) * bytes_; }

 private:
  std::size_t strips_, bytes_;
  AlignedVector<std::byte> packed_;
};

}  // namespace

double GramFold::packed_bytes(double features, double rows) {
  constexpr double kMostBytes = 4, kPadding = 64;  // of a number in the widest layout, and rows of it
  const double chunk =
      (std::min(rows, double(kChunkRows)) + kPadding) * (features + double(tile_for(1 << 20))) * kMostBytes;
  return std::min(std::max(chunk, double(kPackedBytes)), (rows / kChunkRows + 1) * chunk);
}

// The whole numbers that products are formed of are per_unit z; a float, as the products take it.
float GramFold::whole_per_unit() const { return float(kMostWhole / bound_); }

// The right factors change their sign where rows are removed: rounding to the nearest is odd.
void GramFold::add_whole(const Workers& on, const RowBlock<float>& z, int sign) {
  const Matrix<double> t = weighted_targets(z, code_, weight_bound_);
  AlignedVector<float> scaled;
  const MatrixView<const float> rows = root_weighted(on, z, t, scaled);
  Matrix<double> y = t;  // sqrt(w) y, and sqrt(w)
  for (std::size_t i = 0; z.weights && i < z.rows; ++i) {
    const double root = std::sqrt(t(i, t.cols() - 1));
    for (std::size_t k = 0; k < t.cols(); ++k) y(i, k) = root > 0 ? t(i, k) / root : 0;
  }

  const ExactProduct& product = exact_product(on.ops);
  const float unit = whole_per_unit();
  const double moment_unit = per_unit(bound_) / double(unit);
  const std::vector<std::size_t> edges = chunk_edges(z.first, z.rows);
  const std::size_t tiles = gram_.tile_count(), strips = gram_.tiles_per_side(), chunks = edges.size() - 1;
  PackedStrips left(product, z.rows, gram_.tile(), strips), right = left;
  const std::size_t together = std::min(chunks, left.chunks_together());
  left.make_room(together);
  if (sign < 0) right.make_room(together);
  PackedStrips& right_side = sign < 0 ? right : left;

  const auto columns = [&](std::size_t c, std::size_t strip) {
    return MatrixView<const float>{rows.row(edges[c]) + strip * gram_.tile(), edges[c + 1] - edges[c],
                                   gram_.extent(strip), rows.stride};
  };
  for (std::size_t begin = 0; begin < chunks; begin += together) {
    const std::size_t count = std::min(together, chunks - begin);
    on.threads.run(count * strips, [&](std::size_t piece, int) {
      const std::size_t c = piece / strips, strip = piece % strips;
      product.pack(columns(begin + c, strip), unit, left.at(c, strip));
      if (sign < 0) product.pack(columns(begin + c, strip), -unit, right.at(c, strip));
    });
    on.threads.run(tiles + strips, [&](std::size_t piece, int) {
      if (piece < tiles) {
        const auto [I, J] = tile_index(tiles - 1 - piece);
        for (std::size_t c = 0; c < count; ++c)
          product.add(left.at(c, I), right_side.at(c, J), edges[begin + c + 1] - edges[begin + c], gram_.block(I, J));
        return;
      }
      const std::size_t strip = piece - tiles, first = strip * gram_.tile();
      for (std::size_t c = begin; c < begin + count; ++c) {
        Matrix<double> sums(y.cols(), gram_.extent(strip));
        product.add_moments(left.at(c - begin, strip), y.view().slice(edges[c], edges[c + 1] - edges[c]), sums.view());
        for (std::size_t k = 0; k < sums.rows(); ++k)
          for (std::size_t j = 0; j < sums.cols(); ++j)
            moment_(k, first + j) += sign * std::llrint(sums(k, j) * moment_unit);
      }
    });
  }
  add_targets(t, edges, sign, targets_);
}

}  // namespace bochner
