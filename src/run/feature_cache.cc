// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "run/feature_cache.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/memory.h"
#include "base/require.h"
#include "maps/map_rows.h"

namespace bochner {

namespace {

constexpr double kMostFixed = 32767;

std::size_t padded(std::size_t features) { return (features + kKeptColumns - 1) / kKeptColumns * kKeptColumns; }

bool is_bounded(const Stream& stream) { return stream.map() && stream.map()->bound() > 0; }

}  // namespace

FeatureCache::Kind FeatureCache::kind_of(Precision precision, bool bounded) {
  if (precision == Precision::float64) return Kind::float64;
  return bounded ? Kind::fixed16 : Kind::float32;
}

std::size_t FeatureCache::element_bytes(Kind kind) {
  return kind == Kind::fixed16 ? sizeof(std::int16_t) : kind == Kind::float32 ? sizeof(float) : sizeof(double);
}

std::size_t FeatureCache::row_bytes(std::size_t features, Precision precision, bool bounded) {
  return padded(features) * element_bytes(kind_of(precision, bounded));
}

std::size_t FeatureCache::rows_at_once(std::size_t row_bytes, std::size_t memory) {
  return std::max(mapped_bytes(memory) / row_bytes / kChunkRows, std::size_t(1)) * kChunkRows;
}

FeatureCache::FeatureCache(const Stream& stream, std::size_t rows, std::size_t budget)
    : stream_(stream),
      kind_(kind_of(stream.precision(), is_bounded(stream))),
      rows_(rows),
      width_(padded(stream.features())) {
  unit_ = kind_ == Kind::fixed16 ? stream.map()->bound() / kMostFixed : 1;
  const std::size_t row_bytes = width_ * element_bytes(kind_), fit = budget / row_bytes;
  kept_rows_ = fit >= rows ? rows : fit / kChunkRows * kChunkRows;
  kept_.resize(kept_rows_ * row_bytes);
  use_large_pages(kept_.data(), kept_.size());
}

std::string FeatureCache::text() const {
  const char* as = kind_ == Kind::fixed16 ? "16-bit numbers" : kind_ == Kind::float32 ? "float" : "double";
  std::string out = fmt::format("{} rows x {} features kept as {}", kept_rows_, features(), as);
  if (kept_rows_ < rows_) out += fmt::format("; the other {} rows are mapped anew on every pass", rows_ - kept_rows_);
  return out;
}

template <class T, class In>
void FeatureCache::map_rows(const RowBlock<In>& raw, T* out) const {
  const Workers on = stream_.workers();
  map_pieces<In>(on, stream_.map().get(), raw, [&](std::size_t begin, MatrixView<const In> z) {
    const std::size_t D = features();
    const MatrixView<T> q{out + begin * width_, z.rows, D, width_};
    if constexpr (std::is_same_v<T, std::int16_t>)
      on.ops.to_fixed(z, float(1 / unit_), q);
    else
      for (std::size_t i = 0; i < z.rows; ++i) std::copy_n(z.row(i), D, q.row(i));
    for (std::size_t i = 0; i < z.rows; ++i) std::fill(q.row(i) + D, q.row(i) + width_, T(0));
  });
}

// Maps what is not in memory; the first time keeps what there is room for.
template <class T>
void FeatureCache::make(const std::string& step, const std::function<void(const RowBlock<T>&)>& visit) {
  using In = Computed<T>;
  const std::size_t most = rows_at_once(width_ * sizeof(T), stream_.execution().memory);
  AlignedVector<T> scratch;
  T* const kept = reinterpret_cast<T*>(kept_.data());
  stream_.unmapped().each(step, [&](const auto& block) {
    if constexpr (std::is_same_v<std::decay_t<decltype(block)>, RowBlock<In>>) {
      require(stream_.map() || !block.sparse(), "feature cache: the rows are sparse and have no map");
      for (std::size_t begin = 0; begin < block.rows;) {
        const std::size_t row = block.first + begin;
        std::size_t count = std::min(most, block.rows - begin);
        const bool keep = row < kept_rows_;
        if (keep) count = std::min(count, kept_rows_ - row);
        const RowBlock<In> raw = block.slice(begin, count);
        begin += count;
        if (keep && filled_) continue;
        if (!keep) {
          scratch.reserve(std::min(most, rows_) * width_);  // growing would need as much again
          scratch.resize(count * width_);
        }
        T* const out = keep ? kept + row * width_ : scratch.data();
        map_rows(raw, out);
        if (keep) {
          targets_.reserve(kept_rows_ * raw.target_count);
          if (raw.targets) targets_.insert(targets_.end(), raw.targets, raw.targets + count * raw.target_count);
          if (raw.weights) weights_.insert(weights_.end(), raw.weights, raw.weights + count);
        }
        visit(raw.with_values(MatrixView<const T>{out, count, width_, width_}));
      }
    }
  });
  filled_ = true;
}

template <class T>
void FeatureCache::pass(const std::string& step, const std::function<void(const RowBlock<T>&)>& visit) {
  if (filled_ && kept_rows_ > 0) {
    auto z = RowBlock<T>::dense({reinterpret_cast<const T*>(kept_.data()), kept_rows_, width_, width_});
    z.target_count = stream_.schema().targets;
    if (!targets_.empty()) z.targets = targets_.data();
    if (!weights_.empty()) z.weights = weights_.data();
    visit(z);
  }
  if (!filled_ || kept_rows_ < rows_) make<T>(step, visit);
}

template void FeatureCache::pass(const std::string&, const std::function<void(const RowBlock<std::int16_t>&)>&);
template void FeatureCache::pass(const std::string&, const std::function<void(const RowBlock<float>&)>&);
template void FeatureCache::pass(const std::string&, const std::function<void(const RowBlock<double>&)>&);

}  // namespace bochner
