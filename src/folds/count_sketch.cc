// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "folds/count_sketch.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "base/require.h"
#include "random/draw.h"

namespace bochner {

namespace {

constexpr std::size_t kTaskBuckets = 32;
constexpr std::size_t kDrawRows = 4096;

struct Placed {
  std::uint32_t row, bucket;
  float factor;
};

}  // namespace

CountSketch::Places::Places(const Workers& on, std::size_t rows, std::size_t buckets, std::uint64_t seed,
                            bool remembered)
    : buckets_(buckets), seed_(seed) {
  require(buckets > 0 && buckets < (std::size_t(1) << 31), "sketch: {} buckets, expected 1 to 2^31", buckets);
  if (!remembered) return;
  std::vector<std::uint32_t> drawn(rows);
  on.threads.run((rows + kDrawRows - 1) / kDrawRows, [&](std::size_t piece, int) {
    for (std::size_t i = piece * kDrawRows; i < std::min(rows, (piece + 1) * kDrawRows); ++i) drawn[i] = draw(i);
  });
  known_ = std::move(drawn);
}

std::uint32_t CountSketch::Places::draw(std::uint64_t row) const {
  const std::uint64_t draw = bits(seed_, Draw::sketch, row);
  return std::uint32_t(((draw >> 32) * buckets_) >> 32 << 1 | (draw & 1));
}

CountSketch::CountSketch(const KeptRows& rows, const Places& places, std::size_t first, std::size_t count)
    : rows_(rows), places_(places), first_(first), sums_(count, rows.width), ones_(count) {}

template <class T>
void CountSketch::add(const Workers& on, const RowBlock<T>& z) {
  require(z.cols == rows_.width, "sketch: block has {} columns, expected {}", z.cols, rows_.width);
  // The block's rows that fall into our buckets, in order.
  const std::size_t pieces = (z.rows + kDrawRows - 1) / kDrawRows;
  std::vector<std::vector<Placed>> drawn(pieces);
  on.threads.run(pieces, [&](std::size_t piece, int) {
    for (std::size_t i = piece * kDrawRows; i < std::min(z.rows, (piece + 1) * kDrawRows); ++i) {
      const std::uint32_t place = places_.of(z.first + i);
      const std::size_t bucket = Places::bucket(place);
      if (bucket < first_ || bucket >= first_ + sums_.rows()) continue;
      const double root = z.weights ? std::sqrt(z.weights[i]) : 1.0;
      drawn[piece].push_back(
          {std::uint32_t(i), std::uint32_t(bucket - first_), float(Places::positive(place) ? root : -root)});
    }
  });

  // Bucket by bucket, so that a sum stays in the cache while its rows come by; within one still in order.
  std::vector<std::size_t> begin(sums_.rows() + 1);
  for (const auto& piece : drawn)
    for (const Placed& p : piece) {
      ++begin[p.bucket + 1];
      ones_[p.bucket] += double(p.factor);
    }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::uint32_t> from(begin.back()), to(begin.back());
  std::vector<float> factor(begin.back());
  std::vector<std::size_t> next = begin;
  for (const auto& piece : drawn)
    for (const Placed& p : piece) {
      const std::size_t at = next[p.bucket]++;
      from[at] = p.row;
      to[at] = p.bucket;
      factor[at] = p.factor;
    }
  const MatrixView<const T> rows{z.values, z.rows, z.cols, z.stride};
  on.threads.run((sums_.rows() + kTaskBuckets - 1) / kTaskBuckets, [&](std::size_t task, int) {
    const std::size_t first = begin[task * kTaskBuckets];
    const std::size_t count = begin[std::min((task + 1) * kTaskBuckets, sums_.rows())] - first;
    on.ops.scatter(rows, std::span(from).subspan(first, count), to.data() + first, factor.data() + first, sums_.view());
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
