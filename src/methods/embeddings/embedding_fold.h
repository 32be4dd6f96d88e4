// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <vector>

#include "backend/workers.h"
#include "bochner/archive.h"
#include "bochner/fold.h"
#include "bochner/matrix.h"

namespace bochner {

// Sums of features per group of rows: sum w z, sum w, and sum w^2 |z|^2 for estimates without the rows' own products.
// Every number is rounded to 64-bit fixed point and added exactly, so that rows come and go in any order and any parts.
class EmbeddingFold {
 public:
  // bound: of the features' size. groups 0: all rows are one group; otherwise the target of a row is its group.
  EmbeddingFold(std::size_t features, double bound, double weight_bound, std::size_t groups = 0);

  template <class T>
  void add(const Workers& on, const RowBlock<T>& features);
  void merge(const EmbeddingFold& other) { change(other, 1); }
  void subtract(const EmbeddingFold& other) { change(other, -1); }
  void save(Archive& archive) const;
  void load(const Archive& archive);
  bool operator==(const EmbeddingFold& other) const = default;

  EmbeddingFold group(std::size_t g) const;  // alone
  std::size_t features() const { return sums_.cols(); }
  std::size_t groups() const { return sums_.rows(); }
  double weight_bound() const { return weight_bound_; }
  std::uint64_t rows(std::size_t g = 0) const { return std::uint64_t(rows_[g]); }
  double weight(std::size_t g = 0) const;
  double squared_weights(std::size_t g = 0) const;  // sum w^2
  double squares(std::size_t g = 0) const;          // sum w^2 |z|^2
  std::vector<double> sum(std::size_t g = 0) const;

 private:
  void change(const EmbeddingFold& other, std::int64_t sign);

  double weight_bound_, per_unit_, weight_per_unit_, square_per_unit_, squared_weight_per_unit_;
  bool by_target_;
  Matrix<std::int64_t> sums_;
  std::vector<std::int64_t> rows_, weights_, squared_weights_, squares_;
};

}  // namespace bochner
