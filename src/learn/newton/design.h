// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <span>
#include <vector>

#include "bochner/matrix.h"
#include "run/feature_store.h"

namespace bochner {

// Z, the n x D features of a store, with a column of ones behind them where there is an intercept. Vectors of D
// numbers are length() long: the features, zeros up to the width of the store, then the intercept.
// Products are in double whatever the store keeps; sums over rows are formed chunk by chunk of row numbers and added
// in order: the same bits for any threads, blocks and memory.
class Design {
 public:
  Design(FeatureStore& store, bool intercept) : store_(store), intercept_(intercept) { store.fill(); }

  std::size_t rows() const { return store_.rows(); }
  std::size_t features() const { return store_.features(); }
  std::size_t length() const { return store_.width() + intercept_; }
  bool intercept() const { return intercept_; }
  std::size_t intercept_at() const { return store_.width(); }
  FeatureStore& store() const { return store_; }
  Threads& threads() const { return store_.stream().threads(); }

  std::size_t target_count() const { return store_.target_count(); }
  const double* targets(std::size_t i) const { return store_.targets().data() + i * target_count(); }
  double weight(std::size_t i) const { return store_.weights().empty() ? 1.0 : store_.weights()[i]; }

  // u = Z v^T: v is k x length, u is n x k.
  Matrix<double> scores(const Matrix<double>& v) const;
  // a^T Z: a is n x k, the result k x length. Rows of zeros are not looked at.
  Matrix<double> combination(const Matrix<double>& a) const;
  // sum_i z_i^T F(z_i v^T) over rows with d_i > 0, for the outputs named (v is k x length): F turns the scores q of
  // some of the rows into r in place. Where the curvature of row and output is 0, q and r are 0.
  struct Curved {
    std::span<const double> d;  // n
    std::span<const std::size_t> outputs;
    const Matrix<double>& curvature;  // n x K, outputs names its columns
  };
  using Between = std::function<void(std::span<const std::size_t> rows, double* q)>;
  Matrix<double> normal_product(const Matrix<double>& v, const Curved& over, const Between& between) const;
  double longest_row() const;  // the largest |z_i|, without the constant; found once
  // use(j, z): row rows[j] as double, features and then the constant; rows ascend. On any thread.
  using UseRow = std::function<void(std::size_t j, std::span<const double> z)>;
  void each_row(std::span<const std::size_t> rows, const UseRow& use) const;

 private:
  Matrix<double> in_kept_units(const Matrix<double>& v) const;  // times the store's unit, width columns
  // sum of K vectors: add(rows, part) for every chunk into a part of its own.
  template <class Add>
  Matrix<double> summed(std::size_t K, const FeatureStore::Wanted& wanted, const Add& add) const;

  FeatureStore& store_;
  bool intercept_;
  mutable double longest_ = -1;
};

}  // namespace bochner
