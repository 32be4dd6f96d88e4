// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "folds/count_sketch.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "base/pieces.h"
#include "base/require.h"
#include "random/draw.h"

namespace bochner {

namespace {

constexpr std::size_t kTaskBuckets = 32;
constexpr std::size_t kDrawRows = 4096;

template <class T>
struct Placed {
  const T* row;
  std::uint32_t bucket;
  float factor;
};

}  // namespace

CountSketch::Places::Places(const Workers& on, std::size_t rows, std::size_t buckets, std::uint64_t seed,
                            bool remembered)
    : buckets_(buckets), seed_(seed) {
  require(buckets > 0 && buckets < (std::size_t(1) << 31), "sketch: {} buckets, expected 1 to 2^31", buckets);
  if (!remembered) return;
  std::vector<std::uint32_t> drawn(rows);
  each_in_pieces(on.threads, rows, kDrawRows, [&](std::size_t i) { drawn[i] = draw(i); });
  known_ = std::move(drawn);
}

std::uint32_t CountSketch::Places::draw(std::uint64_t row) const {
  const std::uint64_t draw = bits(seed_, Draw::sketch, row);
  return std::uint32_t(((draw >> 32) * buckets_) >> 32 << 1 | (draw & 1));
}

CountSketch::Places::Places(std::size_t count, std::span<const std::size_t> rows)
    : buckets_(rows.size()), known_(count, std::uint32_t(rows.size() << 1)) {
  for (std::size_t bucket = 0; bucket < rows.size(); ++bucket) known_[rows[bucket]] = std::uint32_t(bucket << 1 | 1);
}

CountSketch::CountSketch(const KeptRows& rows, const Places& places, std::span<const double> weights, std::size_t first,
                         std::size_t count, bool ones)
    : rows_(rows),
      places_(places),
      weights_(weights),
      first_(first),
      with_ones_(ones),
      sums_(count, rows.width + (ones && rows.width == rows.features ? kKeptColumns : 0)),
      ones_(count) {}

template <class T>
void CountSketch::add(const Workers& on, std::span<const StoredRows<T>> chunks) {
  // The rows that fall into our buckets, in order.
  std::vector<std::vector<Placed<T>>> drawn(chunks.size());
  on.threads.run(chunks.size(), [&](std::size_t c, int) {
    for (std::size_t i = 0; i < chunks[c].z.size(); ++i) {
      const std::size_t row = chunks[c].number[i];
      const std::uint32_t place = places_.of(row);
      const std::size_t bucket = Places::bucket(place);
      if (bucket < first_ || bucket >= first_ + sums_.rows()) continue;
      const double root = weights_.empty() ? 1.0 : std::sqrt(weights_[row]);
      drawn[c].push_back(
          {chunks[c].z[i], std::uint32_t(bucket - first_), float(Places::positive(place) ? root : -root)});
    }
  });

  // Bucket by bucket, so that a sum stays in the cache while its rows come by; within one still in order.
  std::vector<std::size_t> begin(sums_.rows() + 1);
  for (const auto& piece : drawn)
    for (const Placed<T>& p : piece) {
      ++begin[p.bucket + 1];
      ones_[p.bucket] += double(p.factor);
    }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<const T*> from(begin.back());
  std::vector<std::uint32_t> to(begin.back());
  std::vector<float> factor(begin.back());
  std::vector<std::size_t> next = begin;
  for (const auto& piece : drawn)
    for (const Placed<T>& p : piece) {
      const std::size_t at = next[p.bucket]++;
      from[at] = p.row;
      to[at] = p.bucket;
      factor[at] = p.factor;
    }
  const MatrixView<float> sums{sums_.data(), sums_.rows(), rows_.width, sums_.cols()};
  in_pieces(on.threads, sums_.rows(), kTaskBuckets, [&](std::size_t bucket, std::size_t buckets) {
    const std::size_t first = begin[bucket], count = begin[bucket + buckets] - first;
    on.ops.scatter(std::span<const T* const>(from).subspan(first, count), to.data() + first, factor.data() + first,
                   sums);
  });
}

template void CountSketch::add(const Workers&, std::span<const StoredRows<std::int16_t>>);
template void CountSketch::add(const Workers&, std::span<const StoredRows<float>>);
template void CountSketch::add(const Workers&, std::span<const StoredRows<double>>);

MatrixView<const float> CountSketch::about(const Workers& on, std::span<const double> mean) {
  on.threads.run(sums_.rows(), [&](std::size_t b, int) {
    for (std::size_t j = 0; j < rows_.features; ++j)
      sums_(b, j) = float(double(sums_(b, j)) * rows_.unit - (mean.empty() ? 0 : ones_[b] * mean[j]));
    if (with_ones_) sums_(b, rows_.features) = float(ones_[b]);
  });
  return std::as_const(sums_).view();
}

}  // namespace bochner
