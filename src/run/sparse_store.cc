// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "run/sparse_store.h"

#include <fmt/format.h>

#include <algorithm>

#include "maps/map_rows.h"

namespace bochner {

SparseStore::SparseStore(const Stream& stream, std::size_t rows, std::size_t budget)
    : stream_(stream), rows_(rows), budget_(budget) {
  if (stream.precision() == Precision::float64) kept_ = Kept<double>();
}

std::size_t SparseStore::row_bytes(std::size_t nonzeros, Precision precision) {
  const std::size_t number = precision == Precision::float32 ? sizeof(float) : sizeof(double);
  return nonzeros * (sizeof(std::uint32_t) + number) + sizeof(std::size_t);
}

std::size_t SparseStore::rows_at_once(std::size_t row_bytes, std::size_t memory) {
  constexpr std::size_t kMostChunks = 16;  // whose scores stay in the cache between two products
  return std::clamp(mapped_bytes(memory) / row_bytes / kChunkRows, std::size_t(1), kMostChunks) * kChunkRows;
}

std::string SparseStore::text() const {
  std::string out =
      fmt::format("{} rows of about {} of {} features kept", kept_rows_, stream_.map()->nonzeros(), stream_.features());
  if (kept_rows_ < rows_) out += fmt::format("; the other {} rows are mapped anew on every pass", rows_ - kept_rows_);
  return out;
}

// use(features) of the rows that are not kept, block by block.
template <class T>
void SparseStore::make(const std::string& step, const Visitor<T>& use) {
  const std::size_t most =
      rows_at_once(row_bytes(stream_.map()->nonzeros(), stream_.precision()), stream_.execution().memory);
  const Stream source = step.empty() ? stream_.unmapped().quiet() : stream_.unmapped();
  SparseRows<T> z;
  source.each(step, [&](const auto& block) {
    if constexpr (std::is_same_v<std::decay_t<decltype(block)>, RowBlock<T>>) {
      for (std::size_t begin = 0; begin < block.rows; begin += most) {
        const RowBlock<T> raw = block.slice(begin, std::min(most, block.rows - begin));
        if (filled_ && raw.first < kept_rows_) continue;  // whole blocks are kept, and cut in the same places again
        map_sparse(stream_.workers(), *stream_.map(), raw, z);
        use(z.view(features(), raw));
      }
    }
  });
}

void SparseStore::fill(const std::string& step) {
  if (filled_) return;
  targets_.reserve(rows_ * stream_.schema().targets);
  std::size_t held = 0;
  bool room = true;
  const auto take = [&]<class T>(Kept<T>& kept, const RowBlock<T>& z) {
    if (z.targets) targets_.insert(targets_.end(), z.targets, z.targets + z.rows * z.target_count);
    if (z.weights) weights_.insert(weights_.end(), z.weights, z.weights + z.rows);
    const std::size_t size = z.offsets[z.rows] - z.offsets[0];
    held += size * (sizeof(std::uint32_t) + sizeof(T)) + (z.rows + 1) * sizeof(std::size_t);
    room = room && held <= budget_;
    if (!room) return;
    kept.push_back({{z.offsets, z.offsets + z.rows + 1}, {z.columns, z.columns + size}, {z.values, z.values + size}});
    kept_rows_ += z.rows;
  };
  std::visit([&]<class T>(Kept<T>& kept) { make<T>(step, [&](const RowBlock<T>& z) { take(kept, z); }); }, kept_);
  filled_ = true;
}

template <class T>
void SparseStore::pass(const Kept<T>& kept, const Visitor<T>& visit) {
  std::size_t first = 0;
  for (const SparseRows<T>& rows : kept) {
    RowBlock<T> block = rows.view(features());
    block.first = first;
    first += block.rows;
    visit(block);
  }
  if (kept_rows_ < rows_) make<T>("", visit);
}

template void SparseStore::pass(const Kept<float>&, const Visitor<float>&);
template void SparseStore::pass(const Kept<double>&, const Visitor<double>&);

}  // namespace bochner
