// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "run/feature_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/memory.h"
#include "base/require.h"
#include "maps/map_rows.h"

namespace bochner {

namespace {

constexpr double kMostFixed = 32767;

std::size_t padded(std::size_t features) { return (features + kKeptColumns - 1) / kKeptColumns * kKeptColumns; }

bool is_bounded(const Stream& stream) { return stream.map() && stream.map()->bound() > 0; }

// Rows of a block, ascending, as a block: a view where they are neighbours, otherwise a copy.
template <class T>
class SomeRows {
 public:
  const RowBlock<T>& of(const RowBlock<T>& block, std::span<const std::uint32_t> which) {
    rows_ = block.slice(which[0], which.size());
    if (which.back() - which[0] + 1 == which.size()) return rows_;
    values_.clear();
    if (!block.sparse()) {
      for (const std::uint32_t i : which)
        values_.insert(values_.end(), block.values + i * block.stride, block.values + i * block.stride + block.cols);
      rows_.stride = block.cols;
    } else {
      columns_.clear();
      offsets_.assign(1, 0);
      for (const std::uint32_t i : which) {
        values_.insert(values_.end(), block.values + block.offsets[i], block.values + block.offsets[i + 1]);
        columns_.insert(columns_.end(), block.columns + block.offsets[i], block.columns + block.offsets[i + 1]);
        offsets_.push_back(values_.size());
      }
      rows_.columns = columns_.data();
      rows_.offsets = offsets_.data();
    }
    rows_.values = values_.data();
    return rows_;
  }

 private:
  RowBlock<T> rows_;
  std::vector<T> values_;
  std::vector<std::uint32_t> columns_;
  std::vector<std::size_t> offsets_;
};

}  // namespace

FeatureStore::Kind FeatureStore::kind_of(Precision precision, bool bounded) {
  if (precision == Precision::float64) return Kind::float64;
  return bounded ? Kind::fixed16 : Kind::float32;
}

std::size_t FeatureStore::element_bytes(Kind kind) {
  return kind == Kind::fixed16 ? sizeof(std::int16_t) : kind == Kind::float32 ? sizeof(float) : sizeof(double);
}

std::size_t FeatureStore::row_bytes(std::size_t features, Precision precision, bool bounded) {
  return padded(features) * element_bytes(kind_of(precision, bounded));
}

std::size_t FeatureStore::rows_at_once(std::size_t row_bytes, std::size_t memory) {
  return std::max(mapped_bytes(memory) / row_bytes / kChunkRows, std::size_t(1)) * kChunkRows;
}

FeatureStore::FeatureStore(const Stream& stream, std::size_t rows, std::size_t budget, Rounding rounding)
    : stream_(stream),
      kind_(kind_of(stream.precision(), rounding == Rounding::where_bounded && is_bounded(stream))),
      rows_(rows),
      width_(padded(stream.features())) {
  unit_ = kind_ == Kind::fixed16 ? stream.map()->bound() / kMostFixed : 1;
  const std::size_t row_bytes = width_ * element_bytes(kind_), fit = budget / row_bytes;
  kept_rows_ = fit >= rows ? rows : fit / kChunkRows * kChunkRows;
  kept_.resize(kept_rows_ * row_bytes);
  use_large_pages(kept_.data(), kept_.size());
}

std::string FeatureStore::text() const {
  const char* as = kind_ == Kind::fixed16 ? "16-bit numbers" : kind_ == Kind::float32 ? "float" : "double";
  std::string out = fmt::format("{} rows x {} features kept as {}", kept_rows_, features(), as);
  if (kept_rows_ < rows_) out += fmt::format("; the other {} rows are mapped anew on every pass", rows_ - kept_rows_);
  return out;
}

DenseRows FeatureStore::dense() const {
  require(filled_ && kept_rows_ == rows_ && kind_ != Kind::fixed16, "feature store: not all rows are kept as they are");
  const auto block = [&]<class T>(T) -> DenseRows {
    auto all = RowBlock<T>::dense({reinterpret_cast<const T*>(kept_.data()), rows_, features(), width_});
    all.target_count = target_count();
    all.targets = targets_.empty() ? nullptr : targets_.data();
    all.weights = weights_.empty() ? nullptr : weights_.data();
    return all;
  };
  return kind_ == Kind::float32 ? block(float()) : block(double());
}

Stream FeatureStore::source(const std::string& step) const {
  return step.empty() ? stream_.unmapped().quiet() : stream_.unmapped();
}

template <class In>
void FeatureStore::take_targets(const RowBlock<In>& block) {
  targets_.reserve(rows_ * block.target_count);
  if (block.targets) targets_.insert(targets_.end(), block.targets, block.targets + block.rows * block.target_count);
  if (block.weights) weights_.insert(weights_.end(), block.weights, block.weights + block.rows);
}

template <class T, class In, class Where>
void FeatureStore::map_rows(const RowBlock<In>& raw, const Where& where) const {
  const Workers on = stream_.workers();
  map_pieces<In>(on, stream_.map().get(), raw, [&](std::size_t begin, MatrixView<const In> z) {
    for (std::size_t i = 0; i < z.rows; ++i) {
      T* const out = where(begin + i);
      if constexpr (std::is_same_v<T, std::int16_t>)
        on.ops.to_fixed(z.slice(i, 1), float(1 / unit_), {out, 1, z.cols, width_});
      else
        std::copy_n(z.row(i), z.cols, out);
      std::fill(out + z.cols, out + width_, T(0));
    }
  });
}

// Maps what is not in memory; the first time keeps what there is room for. No visit: keeps only.
template <class T>
void FeatureStore::make(const std::string& step, const std::function<void(const RowBlock<T>&)>& visit) {
  using In = Computed<T>;
  const std::size_t most = rows_at_once(width_ * sizeof(T), stream_.execution().memory);
  AlignedVector<T> scratch;
  T* const kept = reinterpret_cast<T*>(kept_.data());
  source(step).each(step, [&](const auto& block) {
    if constexpr (std::is_same_v<std::decay_t<decltype(block)>, RowBlock<In>>) {
      require(stream_.map() || !block.sparse(), "feature store: the rows are sparse and have no map");
      if (!filled_) take_targets(block);
      for (std::size_t begin = 0; begin < block.rows;) {
        const std::size_t row = block.first + begin;
        std::size_t count = std::min(most, block.rows - begin);
        const bool keep = row < kept_rows_;
        if (keep) count = std::min(count, kept_rows_ - row);
        const RowBlock<In> raw = block.slice(begin, count);
        begin += count;
        if (keep ? filled_ : !visit) continue;
        if (!keep) {
          scratch.reserve(std::min(most, rows_) * width_);  // growing would need as much again
          scratch.resize(count * width_);
        }
        T* const out = keep ? kept + row * width_ : scratch.data();
        map_rows<T>(raw, [&](std::size_t i) { return out + i * width_; });
        if (visit) visit(raw.with_values(MatrixView<const T>{out, count, width_, width_}));
      }
    }
  });
  filled_ = true;
}

void FeatureStore::fill(const std::string& step) {
  if (!filled_) with_numbers([&]<class T>(T) { make<T>(step, {}); });
}

template <class T>
void FeatureStore::pass(const std::string& step, const std::function<void(const RowBlock<T>&)>& visit) {
  require(slots_.empty(), "feature store: the rows are not in their order any more");
  if (filled_ && kept_rows_ > 0) {
    auto z = RowBlock<T>::dense({reinterpret_cast<const T*>(kept_.data()), kept_rows_, width_, width_});
    z.target_count = target_count();
    if (!targets_.empty()) z.targets = targets_.data();
    if (!weights_.empty()) z.weights = weights_.data();
    visit(z);
  }
  if (!filled_ || kept_rows_ < rows_) make<T>(step, visit);
}

std::vector<std::uint32_t> FeatureStore::slots_to_take(const std::vector<char>& asked) {
  std::vector<std::uint32_t> free;
  for (std::size_t s = kept_rows_; s-- > 0;)
    if (!asked[owners_.empty() ? s : owners_[s]]) free.push_back(std::uint32_t(s));
  if (!free.empty() && slots_.empty()) {
    slots_.resize(rows_);
    std::iota(slots_.begin(), slots_.end(), 0u);
    owners_.assign(slots_.begin(), slots_.begin() + std::ptrdiff_t(kept_rows_));
  }
  return free;
}

void FeatureStore::take_slot(std::size_t slot, std::size_t row) {
  slots_[owners_[slot]] = std::numeric_limits<std::uint32_t>::max();
  owners_[slot] = std::uint32_t(row);
  slots_[row] = std::uint32_t(slot);
}

namespace {

// The rows of a batch, chunk by chunk.
template <class T>
struct Lists {
  std::vector<std::size_t> number = {};
  std::vector<const T*> z = {};

  void add(std::size_t row, const T* from) {
    number.push_back(row);
    z.push_back(from);
  }
  std::vector<StoredRows<T>> chunks() const {
    std::vector<StoredRows<T>> all;
    for (std::size_t begin = 0, end; begin < number.size(); begin = end) {
      const std::size_t chunk = number[begin] / kChunkRows;
      end = begin;
      while (end < number.size() && number[end] / kChunkRows == chunk) ++end;
      all.push_back({std::span(number).subspan(begin, end - begin), std::span(z).subspan(begin, end - begin)});
    }
    return all;
  }
};

}  // namespace

template <class T>
void FeatureStore::batches(const Wanted& wanted, std::size_t most_chunks, const std::string& step,
                           const Batch<T>& visit) {
  fill();
  std::vector<char> asked(rows_, 1);
  bool missing = !wanted && kept_rows_ < rows_;
  for (std::size_t row = 0; row < rows_ && wanted; ++row) {
    asked[row] = wanted(row);
    missing |= asked[row] && slot(row) >= kept_rows_;
  }
  if (missing) return batches_mapped<T>(asked, most_chunks, step, visit);
  const T* const kept = reinterpret_cast<const T*>(kept_.data());
  for (std::size_t row = 0; row < rows_;) {
    const std::size_t end = rows_ - row > most_chunks * kChunkRows ? row + most_chunks * kChunkRows : rows_;
    Lists<T> lists;
    for (; row < end; ++row)
      if (asked[row]) lists.add(row, kept + slot(row) * width_);
    if (!lists.z.empty()) visit(lists.chunks());
  }
}

template <class T>
void FeatureStore::batches_mapped(const std::vector<char>& asked, std::size_t most_chunks, const std::string& step,
                                  const Batch<T>& visit) {
  using In = Computed<T>;
  T* const kept = reinterpret_cast<T*>(kept_.data());
  std::vector<std::uint32_t> free = slots_to_take(asked);
  const std::size_t at_once = rows_at_once(width_ * sizeof(T), stream_.execution().memory);
  const std::size_t most = std::min(most_chunks, at_once / kChunkRows) * kChunkRows;
  AlignedVector<T> scratch(std::min(most, rows_) * width_);
  SomeRows<In> some;
  source(step).each(step, [&](const auto& block) {
    if constexpr (std::is_same_v<std::decay_t<decltype(block)>, RowBlock<In>>) {
      for (std::size_t begin = 0; begin < block.rows; begin += most) {
        Lists<T> lists;
        std::vector<std::uint32_t> from;  // rows of the block that are mapped, and where to
        std::vector<T*> to;
        T* next = scratch.data();
        for (std::size_t i = begin; i < std::min(block.rows, begin + most); ++i) {
          const std::size_t row = block.first + i;
          if (!asked[row]) continue;
          if (slot(row) >= kept_rows_) {
            from.push_back(std::uint32_t(i));
            if (free.empty()) {
              to.push_back(next);
              next += width_;
            } else {
              take_slot(free.back(), row);
              to.push_back(kept + free.back() * width_);
              free.pop_back();
            }
            lists.add(row, to.back());
          } else {
            lists.add(row, kept + slot(row) * width_);
          }
        }
        if (!from.empty()) map_rows<T>(some.of(block, from), [&](std::size_t i) { return to[i]; });
        if (!lists.z.empty()) visit(lists.chunks());
      }
    }
  });
}

#define BOCHNER_STORE(T)                                                                                \
  template void FeatureStore::pass(const std::string&, const std::function<void(const RowBlock<T>&)>&); \
  template void FeatureStore::batches(const Wanted&, std::size_t, const std::string&, const Batch<T>&)
BOCHNER_STORE(std::int16_t);
BOCHNER_STORE(float);
BOCHNER_STORE(double);
#undef BOCHNER_STORE

}  // namespace bochner
