// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "learn/newton/design.h"
#include "run/feature_store.h"

namespace bochner {

// Z of dense features. Sums over rows are formed chunk by chunk of row numbers and added in order.
class DenseDesign final : public Design {
 public:
  DenseDesign(FeatureStore& store, bool intercept)
      : Design(store.stream(), {store.rows(), store.features(), store.width(), intercept}, store.targets(),
               store.weights()),
        store_(store) {
    store.fill();
  }

  FeatureStore& store() const { return store_; }

  Matrix<double> scores(const Matrix<double>& v) const override;
  Matrix<double> combination(const Matrix<double>& a) const override;
  Matrix<double> normal_product(const Matrix<double>& v, const Curved& over, const Between& between) const override;
  double longest_row() const override;
  std::unique_ptr<Preconditioner> preconditioner(std::uint64_t seed) const override;  // factors of the Hessian
  // use(j, z): row rows[j] as double, features and then the constant; rows ascend. On any thread.
  using UseRow = std::function<void(std::size_t j, std::span<const double> z)>;
  void each_row(std::span<const std::size_t> rows, const UseRow& use) const;

 private:
  Matrix<double> in_kept_units(const Matrix<double>& v) const;  // times the store's unit, width columns
  // sum of K vectors: add(rows, part) for every chunk into a part of its own.
  template <class Add>
  Matrix<double> summed(std::size_t K, const FeatureStore::Wanted& wanted, const Add& add) const;

  FeatureStore& store_;
  mutable double longest_ = -1;
};

}  // namespace bochner
