// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "folds/count_sketch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/require.h"
#include "random/draw.h"

namespace bochner {

namespace {

constexpr std::size_t kStripColumns = 512;  // of all rows of a block to one thread
constexpr std::size_t kDrawRows = 4096;

struct Place {
  std::uint32_t bucket;
  float factor;
};

}  // namespace

CountSketch::CountSketch(const KeptRows& rows, std::size_t buckets, std::size_t first, std::size_t count,
                         std::uint64_t seed)
    : rows_(rows), buckets_(buckets), first_(first), seed_(seed), sums_(count, rows.width), ones_(count) {
  require(buckets > 0 && buckets < (std::size_t(1) << 32), "sketch: {} buckets, expected 1 to 2^32", buckets);
}

template <class T>
void CountSketch::add(const Workers& on, const RowBlock<T>& z) {
  require(z.cols == rows_.width, "sketch: block has {} columns, expected {}", z.cols, rows_.width);
  // The block's rows that fall into our buckets, in order.
  const std::size_t pieces = (z.rows + kDrawRows - 1) / kDrawRows;
  std::vector<std::vector<std::uint32_t>> row_lists(pieces), to_lists(pieces);
  std::vector<std::vector<float>> factor_lists(pieces);
  on.threads.run(pieces, [&](std::size_t piece, int) {
    for (std::size_t i = piece * kDrawRows; i < std::min(z.rows, (piece + 1) * kDrawRows); ++i) {
      const std::uint64_t draw = bits(seed_, Draw::sketch, z.first + i);
      const std::size_t bucket = std::size_t(((draw >> 32) * buckets_) >> 32);
      if (bucket < first_ || bucket >= first_ + sums_.rows()) continue;
      const double root = z.weights ? std::sqrt(z.weights[i]) : 1.0;
      row_lists[piece].push_back(std::uint32_t(i));
      to_lists[piece].push_back(std::uint32_t(bucket - first_));
      factor_lists[piece].push_back(float(draw & 1 ? root : -root));
    }
  });
  for (std::size_t piece = 0; piece < pieces; ++piece)
    for (std::size_t r = 0; r < row_lists[piece].size(); ++r)
      ones_[to_lists[piece][r]] += double(factor_lists[piece][r]);

  const std::size_t strips = (z.cols + kStripColumns - 1) / kStripColumns;
  on.threads.run(strips, [&](std::size_t strip, int) {
    const std::size_t begin = strip * kStripColumns, width = std::min(kStripColumns, z.cols - begin);
    const MatrixView<float> sum{sums_.data() + begin, sums_.rows(), width, sums_.cols()};
    for (std::size_t piece = 0; piece < pieces; ++piece)
      on.ops.scatter(MatrixView<const T>{z.values + begin, z.rows, width, z.stride}, row_lists[piece],
                     to_lists[piece].data(), factor_lists[piece].data(), sum);
  });
}

template void CountSketch::add(const Workers&, const RowBlock<std::int16_t>&);
template void CountSketch::add(const Workers&, const RowBlock<float>&);
template void CountSketch::add(const Workers&, const RowBlock<double>&);

MatrixView<const float> CountSketch::about(const Workers& on, const std::vector<double>& mean) {
  on.threads.run(sums_.rows(), [&](std::size_t b, int) {
    for (std::size_t j = 0; j < rows_.features; ++j)
      sums_(b, j) = float(double(sums_(b, j)) * rows_.unit - ones_[b] * mean[j]);
  });
  return std::as_const(sums_).view();
}

}  // namespace bochner
