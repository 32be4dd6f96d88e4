// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "base/aligned.h"
#include "folds/stored_rows.h"
#include "run/stream.h"

namespace bochner {

// Dense rows in memory with their targets and weights.
using DenseRows = std::variant<RowBlock<float>, RowBlock<double>>;

// The mapped rows of a stream for a method that passes over them many times. As many rows as the budget allows
// stay in memory, the rest are mapped anew when they are asked for; the numbers are the same to the bit either way.
//
// Where the map bounds its features, they may be kept as 16-bit fixed point: half the bytes of float, and an error of
// bound / 2^16, which adds bound^2 / 2^33 n to the diagonal of Z^T Z: far below any lambda n that float features
// can tell from zero. Other features are kept as they are.
class FeatureStore {
 public:
  enum class Rounding { where_bounded, none };

  // rows: how many the stream has. budget: bytes to keep mapped rows in.
  FeatureStore(const Stream& stream, std::size_t rows, std::size_t budget, Rounding rounding = Rounding::where_bounded);

  std::size_t features() const { return stream_.features(); }
  std::size_t rows() const { return rows_; }
  std::size_t width() const { return width_; }  // numbers of a kept row: features, then zeros
  double unit() const { return unit_; }         // feature = kept number * unit
  std::size_t kept_rows() const { return kept_rows_; }
  const Stream& stream() const { return stream_; }
  std::string text() const;  // "357345 rows x 5000 features kept as 16-bit numbers"

  // Bytes of one kept row. bounded: the map bounds its features, and they may be rounded.
  static std::size_t row_bytes(std::size_t features, Precision precision, bool bounded);
  // Rows that are mapped at a time where they are not kept.
  static std::size_t rows_at_once(std::size_t row_bytes, std::size_t memory);

  // Reads all rows once: maps those that are kept, and takes the targets and weights of all.
  void fill(const std::string& step = "features");
  // The targets and weights are those of all rows, known after the first pass.
  std::size_t target_count() const { return stream_.schema().targets; }
  const std::vector<double>& targets() const { return targets_; }
  const std::vector<double>& weights() const { return weights_; }  // empty: all 1
  DenseRows dense() const;                                         // where all rows are kept as they are

  // The sum of all rows, from an empty one; block.values are kept numbers, block.cols is width(). Not after a pass over
  // some of the rows.
  template <class F>
  requires Fold<F, std::int16_t> && Fold<F, float> && Fold<F, double> F fold(F sum, const std::string& step = "") {
    BlockAdder<F> adder(sum);
    each(step, [&](const auto& block) { adder.add(stream_.workers(), block); });
    return sum;
  }
  // visit(block) for all rows in order, on the calling thread: for what is no sum.
  template <class Visit>
  void each(const std::string& step, const Visit& visit) {
    with_numbers([&]<class T>(T) { pass<T>(step, visit); });
  }

  // visit(chunks), a span of StoredRows, for the rows wanted of all chunks in order, at most most_chunks at a time.
  // Rows that have to be mapped replace kept ones that are not wanted. An empty step: without progress.
  using Wanted = std::function<bool(std::size_t row)>;  // null: every row
  template <class Visit>
  void each_batch(const Wanted& wanted, std::size_t most_chunks, const std::string& step, const Visit& visit) {
    with_numbers([&]<class T>(T) { batches<T>(wanted, most_chunks, step, visit); });
  }
  // work(rows, part) for the rows wanted of every chunk, on all threads, part < parts(); then join(part) for these
  // chunks one after the other, in order: sums are the same to the bit for any threads, blocks and memory.
  template <class Work, class Join>
  void each_chunk(const Wanted& wanted, const Work& work, const Join& join) {
    each_batch(wanted, parts(), "", [&](const auto& chunks) {
      stream_.threads().run(chunks.size(), [&](std::size_t part, int) { work(chunks[part], part); });
      for (std::size_t part = 0; part < chunks.size(); ++part) join(part);
    });
  }
  std::size_t parts() const { return parts(stream_.threads().count()); }
  static std::size_t parts(int threads) { return 4 * std::size_t(threads); }

 private:
  enum class Kind { fixed16, float32, float64 };
  static Kind kind_of(Precision precision, bool bounded);
  static std::size_t element_bytes(Kind kind);

  template <class Use>
  void with_numbers(const Use& use) {
    if (kind_ == Kind::fixed16)
      use(std::int16_t());
    else if (kind_ == Kind::float32)
      use(float());
    else
      use(double());
  }
  template <class T>
  using Batch = std::function<void(std::span<const StoredRows<T>>)>;
  template <class T>
  void batches(const Wanted& wanted, std::size_t most_chunks, const std::string& step, const Batch<T>& visit);
  template <class T>
  void batches_mapped(const std::vector<char>& asked, std::size_t most_chunks, const std::string& step,
                      const Batch<T>& visit);
  template <class T>
  void pass(const std::string& step, const std::function<void(const RowBlock<T>&)>& visit);
  template <class T>
  void make(const std::string& step, const std::function<void(const RowBlock<T>&)>& visit);
  // Maps rows; row i goes to where(i).
  template <class T, class In, class Where>
  void map_rows(const RowBlock<In>& raw, const Where& where) const;
  template <class In>
  void take_targets(const RowBlock<In>& block);
  Stream source(const std::string& step) const;

  std::size_t slot(std::size_t row) const { return slots_.empty() ? row : slots_[row]; }  // kept if < kept_rows_
  std::vector<std::uint32_t> slots_to_take(const std::vector<char>& asked);
  void take_slot(std::size_t slot, std::size_t row);

  Stream stream_;
  Kind kind_;
  std::size_t rows_, width_, kept_rows_;
  double unit_;
  bool filled_ = false;
  AlignedVector<std::byte> kept_;
  std::vector<std::uint32_t> slots_, owners_;  // each row's slot, each slot's row; empty: a row's slot is its number
  std::vector<double> targets_, weights_;
};

}  // namespace bochner
