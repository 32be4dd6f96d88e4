// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <vector>

#include "learn/newton/design.h"
#include "run/sparse_store.h"

namespace bochner {

// Z of CSR features, of which there may be millions. A row's scores are sums over its numbers in order, and a feature's
// sum goes over the rows in order: threads share the rows of the first, the features of the second, so that the bits do
// not depend on them.
class SparseDesign final : public Design {
 public:
  SparseDesign(SparseStore& store, bool intercept);

  Matrix<double> scores(const Matrix<double>& v) const override;
  Matrix<double> combination(const Matrix<double>& a) const override;
  Matrix<double> normal_product(const Matrix<double>& v, const Curved& over, const Between& between) const override;
  double longest_row() const override;
  std::unique_ptr<Preconditioner> preconditioner(std::uint64_t seed) const override;  // the Hessian's diagonal

  // sum_i d_ik z_ij^2: d is n x k, the result k x length.
  Matrix<double> squares(const Matrix<double>& d) const;

 private:
  // The rows of a block that a sum needs, and what each is multiplied by: rows x k.
  struct Some {
    std::vector<std::uint32_t> rows = {};  // positions in the block
    Matrix<double> factor = {};
  };
  // sum_i factor_i^T value(z_i), k x length; choose(block) says which rows.
  template <class Choose, class Value>
  Matrix<double> summed(std::size_t K, const Choose& choose, const Value& value) const;
  template <class T>
  const std::vector<std::uint32_t>& shares(const RowBlock<T>& block) const;
  Matrix<double> by_feature(const Matrix<double>& v) const;  // features x k

  SparseStore& store_;
  mutable std::vector<std::uint32_t> shares_;  // the features at which those of each thread begin, and all behind
  mutable double longest_ = -1;
};

}  // namespace bochner
