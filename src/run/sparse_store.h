// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "run/stream.h"

namespace bochner {

// The rows of a stream whose map puts out CSR, for a method that passes over them many times: what FeatureStore is for
// dense features. As many rows as the budget allows stay in memory as CSR, the rest are mapped anew on every pass; the
// numbers are the same to the bit either way.
class SparseStore {
 public:
  // rows: how many the stream has. budget: bytes to keep features in.
  SparseStore(const Stream& stream, std::size_t rows, std::size_t budget);

  std::size_t features() const { return stream_.features(); }
  std::size_t rows() const { return rows_; }
  std::size_t kept_rows() const { return kept_rows_; }  // after fill()
  const Stream& stream() const { return stream_; }
  std::string text() const;  // "20000 rows of about 50 of 81234 features kept"

  // Bytes of one kept row of so many numbers that are not 0.
  static std::size_t row_bytes(std::size_t nonzeros, Precision precision);
  // Rows that are mapped at a time.
  static std::size_t rows_at_once(std::size_t row_bytes, std::size_t memory);

  // Reads all rows once: keeps the features there is room for, and the targets and weights of all.
  void fill(const std::string& step = "features");
  const std::vector<double>& targets() const { return targets_; }
  const std::vector<double>& weights() const { return weights_; }  // empty: all 1

  // visit(block) for all rows in order, on the calling thread: CSR blocks of float or double with their row numbers.
  template <class Visit>
  void each(const Visit& visit) {
    fill();
    if (auto* kept = std::get_if<Kept<float>>(&kept_))
      pass<float>(*kept, visit);
    else
      pass<double>(std::get<Kept<double>>(kept_), visit);
  }

 private:
  template <class T>
  using Kept = std::vector<SparseRows<T>>;  // blocks of rows, from the first on
  template <class T>
  using Visitor = std::function<void(const RowBlock<T>&)>;
  template <class T>
  void pass(const Kept<T>& kept, const Visitor<T>& visit);
  template <class T>
  void make(const std::string& step, const Visitor<T>& use);

  Stream stream_;
  std::size_t rows_, budget_, kept_rows_ = 0;
  bool filled_ = false;
  std::variant<Kept<float>, Kept<double>> kept_;
  std::vector<double> targets_, weights_;
};

}  // namespace bochner
