// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/aligned.h"
#include "run/stream.h"

namespace bochner {

// The mapped rows of a stream for a method that passes over them many times. As many rows as the budget allows
// stay in memory, the rest are mapped anew on every pass; the numbers are the same to the bit either way.
//
// Where the map bounds its features, they are kept as 16-bit fixed point: half the bytes of float, and an error of
// bound / 2^16, which adds bound^2 / 2^33 n to the diagonal of Z^T Z: far below any lambda n that float features
// can tell from zero. Other features are kept as they are.
class FeatureCache {
 public:
  // rows: how many the stream has. budget: bytes to keep mapped rows in.
  FeatureCache(const Stream& stream, std::size_t rows, std::size_t budget);

  std::size_t features() const { return stream_.features(); }
  std::size_t rows() const { return rows_; }
  std::size_t width() const { return width_; }  // of a kept row: features, then zeros
  double unit() const { return unit_; }         // feature = kept number * unit
  std::size_t kept_rows() const { return kept_rows_; }
  const Stream& stream() const { return stream_; }
  std::string text() const;  // "357345 rows x 5000 features kept as 16-bit numbers"

  // Bytes of one kept row. bounded: the map bounds its features.
  static std::size_t row_bytes(std::size_t features, Precision precision, bool bounded);
  // Rows that are mapped at a time where they are not kept.
  static std::size_t rows_at_once(std::size_t row_bytes, std::size_t memory);

  // The sum of all rows, from an empty one; block.values are kept numbers, block.cols is width().
  template <class F>
  requires Fold<F, std::int16_t> && Fold<F, float> && Fold<F, double> F fold(F sum, const std::string& step = "") {
    BlockAdder<F> adder(sum);
    each(step, [&](const auto& block) { adder.add(stream_.workers(), block); });
    return sum;
  }

  // visit(block) for all rows in order, on the calling thread: for what is no sum.
  template <class Visit>
  void each(const std::string& step, const Visit& visit) {
    if (kind_ == Kind::fixed16)
      pass<std::int16_t>(step, visit);
    else if (kind_ == Kind::float32)
      pass<float>(step, visit);
    else
      pass<double>(step, visit);
  }

 private:
  enum class Kind { fixed16, float32, float64 };
  static Kind kind_of(Precision precision, bool bounded);
  static std::size_t element_bytes(Kind kind);

  template <class T>
  void pass(const std::string& step, const std::function<void(const RowBlock<T>&)>& visit);
  template <class T>
  void make(const std::string& step, const std::function<void(const RowBlock<T>&)>& visit);
  template <class T, class In>
  void map_rows(const RowBlock<In>& raw, T* out) const;

  Stream stream_;
  Kind kind_;
  std::size_t rows_, width_, kept_rows_;
  double unit_;
  bool filled_ = false;
  AlignedVector<std::byte> kept_;
  std::vector<double> targets_, weights_;
};

}  // namespace bochner
