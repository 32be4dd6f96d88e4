// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>
#include <vector>

#include "learn/ridge/normal_equations.h"
#include "methods/bins/fit.h"
#include "run/feature_store.h"

namespace bochner {

// Dense features z (Fourier, say) that share the residuals with grids. Its step is that of ridge, exact
//   dW = (Zc^T W Zc + lambda I)^-1 (Zc^T W e - lambda W),   db = mean(e) - m . dW,   e -= z dW + db,
// Zc about the weighted mean m: block Gauss-Seidel on the joint objective. One factor serves all steps; a step is
// two passes over kept features.
class DenseBlock final : public JointBlock {
 public:
  // equations: of the rows with the weights of `targets`. lambda: in all, not per row. bound: |z_j| <= bound.
  DenseBlock(FeatureStore& cache, const NormalEquations& equations, const GridTargets& targets, double lambda,
             double bound);

  // Where the Gram matrix turned out not to be positive definite: lambda is too small for its rounding.
  std::optional<std::size_t> failed_column() const { return factor_.failed_column(); }

  void step(std::vector<float>& residuals) override;
  void save(Archive& archive) const override;
  void load(const Archive& archive) override;
  const Coefficients& head() const { return head_; }  // coded; the intercept is what this part adds to the grids'

 private:
  FeatureStore& cache_;
  const GridTargets& targets_;
  std::vector<double> mean_;
  double weight_, lambda_, bound_, weight_bound_ = 1;
  Cholesky factor_;
  Coefficients head_;
};

}  // namespace bochner
