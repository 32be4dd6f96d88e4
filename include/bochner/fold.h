// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   struct Count {  // counts rows
//     std::uint64_t rows = 0;
//     void add(const RowBlock<float>& block) { rows += block.rows; }
//     void merge(const Count& other) { rows += other.rows; }
//     void save(Archive& archive) const { archive.put_count("rows", rows); }
//     void load(const Archive& archive) { rows = archive.get_count("rows"); }
//   };
//   static_assert(Fold<Count>);

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <vector>

#include "bochner/archive.h"
#include "bochner/row_block.h"

namespace bochner {

// A fold is a sum over rows: it adds blocks, merges with the sum of other rows, and can be saved. bochner/stream.h runs
// one over a stream of rows. The mean of the features, for example:
//
//   struct Mean {
//     double rows = 0;
//     std::vector<double> sum;  // one per feature, 0 at first
//
//     void add(const RowBlock<float>& z) {
//       rows += double(z.rows);
//       for (std::size_t i = 0; i < z.rows; ++i)
//         for (std::size_t j = 0; j < z.cols; ++j) sum[j] += double(z.values[i * z.stride + j]);
//     }
//     void merge(const Mean& other) {
//       rows += other.rows;
//       for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += other.sum[j];
//     }
//     void save(Archive& archive) const {
//       archive.put_number("rows", rows);
//       archive.put<double>("sum", sum, {sum.size()});
//     }
//     void load(const Archive& archive) {
//       rows = archive.get_number("rows");
//       sum = archive.get<double>("sum", {sum.size()});
//     }
//   };
//   static_assert(Fold<Mean>);
//
// What the library keeps to: a fold begins empty; load() is called on one that was made like the one saved. Threads add
// to copies of their own, which are merged one after the other in the order of the rows, so the result is the same to
// the bit for any number of threads and any blocks. What a fold keeps to: where merging is exact (whole numbers,
// minima, maxima, fixed point), the result is the same to the bit for any shards and any order of merging too; floating
// point, as above, is then the same up to rounding.

struct Workers;  // the library's own: operations and threads

// One thread adds a block. Copies are added to by several threads at once.
template <class F, class T>
concept AddsBlocks = requires(F& fold, const RowBlock<T>& block) {
  fold.add(block);
};
// The library's own folds share out a block among threads themselves.
template <class F, class T>
concept AddsWithWorkers = requires(F& fold, const Workers& on, const RowBlock<T>& block) {
  fold.add(on, block);
};

// What joins with another of its kind, and travels.
template <class F>
concept Merges = std::copy_constructible<F> && requires(F& sum, const F& part, Archive& to, const Archive& from) {
  sum.merge(part);
  part.save(to);
  sum.load(from);
};
// T: what the values of the blocks are, float or double (inside the library also std::int16_t).
template <class F, class T = float>
concept Fold = Merges<F> &&(AddsBlocks<F, T> || AddsWithWorkers<F, T>);

// Where a block is cut so that chunks begin at multiples of kChunkRows: 0, the rows before the second, ..., rows.
inline std::vector<std::size_t> chunk_edges(std::size_t first, std::size_t rows) {
  std::vector<std::size_t> edges = {0};
  while (edges.back() < rows)
    edges.push_back(std::min(rows, ((first + edges.back()) / kChunkRows + 1) * kChunkRows - first));
  return edges;
}

// Calls work(piece) for piece = 0 .. pieces - 1 on all threads.
using RunPieces = std::function<void(std::size_t pieces, const std::function<void(std::size_t piece)>& work)>;

// Adds a block by chunks, each to a copy of `empty`, and merges them in order.
template <class T, class F>
requires AddsBlocks<F, T>
void add_by_chunks(F& fold, const F& empty, const RowBlock<T>& block, const RunPieces& run) {
  const std::vector<std::size_t> edges = chunk_edges(block.first, block.rows);
  std::vector<F> parts(edges.size() - 1, empty);
  run(parts.size(), [&](std::size_t c) { parts[c].add(block.slice(edges[c], edges[c + 1] - edges[c])); });
  for (const F& part : parts) fold.merge(part);
}

}  // namespace bochner
