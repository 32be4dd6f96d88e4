// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/bins/dense_block.h"

#include <algorithm>

#include "base/pieces.h"
#include "methods/bins/residual_moments.h"

namespace bochner {

namespace {

constexpr std::size_t kStrip = 64;  // rows a thread takes at a time

// e -= z dW + db: a visitor of rows, whose residuals it changes.
class TakeOut {
 public:
  TakeOut(const FeatureStore& cache, const Coefficients& change, std::vector<float>& residuals)
      : K_(change.intercept.size()),
        shift_(change.intercept),
        double_(K_, cache.width()),
        float_(K_, cache.width()),
        residuals_(residuals) {
    for (std::size_t k = 0; k < K_; ++k)
      for (std::size_t j = 0; j < change.weights.rows(); ++j) {
        double_(k, j) = change.weights(j, k) * cache.unit();
        float_(k, j) = float(double_(k, j));
      }
  }

  template <class T>
  void visit(const Workers& on, const RowBlock<T>& z) {
    using C = Computed<T>;
    in_pieces(on.threads, z.rows, kStrip, [&](std::size_t begin, std::size_t rows) {
      Matrix<C> u(rows, K_);
      on.ops.project(MatrixView<const T>{z.values + begin * z.stride, rows, z.cols, z.stride}, directions<C>(),
                     u.view());
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t k = 0; k < K_; ++k) {
          float& e = residuals_[(z.first + begin + i) * K_ + k];
          e = float(double(e) - double(u(i, k)) - shift_[k]);
        }
    });
  }

 private:
  template <class C>
  MatrixView<const C> directions() const {
    if constexpr (std::is_same_v<C, float>)
      return float_.view();
    else
      return double_.view();
  }

  std::size_t K_;
  std::vector<double> shift_;
  Matrix<double> double_;  // K x width, times unit
  Matrix<float> float_;
  std::vector<float>& residuals_;
};

}  // namespace

DenseBlock::DenseBlock(FeatureStore& cache, const NormalEquations& equations, const GridTargets& targets, double lambda,
                       double bound)
    : cache_(cache),
      targets_(targets),
      mean_(equations.feature_mean),
      weight_(equations.weight),
      lambda_(lambda),
      bound_(bound),
      factor_(equations.shifted_factor(lambda, cache.stream().threads())),
      head_{Matrix<double>(mean_.size(), targets.outputs), std::vector<double>(targets.outputs)} {
  for (const float w : targets.weight) weight_bound_ = std::max(weight_bound_, double(w));
}

void DenseBlock::step(std::vector<float>& residuals) {
  const std::size_t D = mean_.size(), K = targets_.outputs;
  // Codes lie in [-1, 1] and the objective only falls, so residuals are 2 at most in the root of the mean square.
  const double most = double(targets_.rows()) * weight_bound_ * 2 * std::max(1.0, bound_ / cache_.unit());
  const ResidualMoments empty(cache_.width(), K, residuals, targets_.weight, most);
  const Matrix<double> sum = cache_.fold(empty, "residuals").value();
  Coefficients change{Matrix<double>(D, K), std::vector<double>(K)};
  for (std::size_t k = 0; k < K; ++k) {
    const double total = sum(k, cache_.width());
    for (std::size_t j = 0; j < D; ++j)
      change.weights(j, k) = sum(k, j) * cache_.unit() - mean_[j] * total - lambda_ * head_.weights(j, k);
    change.intercept[k] = total / weight_;
  }
  factor_.solve(change.weights.view());
  for (std::size_t k = 0; k < K; ++k) {
    for (std::size_t j = 0; j < D; ++j) {
      change.intercept[k] -= mean_[j] * change.weights(j, k);
      head_.weights(j, k) += change.weights(j, k);
    }
    head_.intercept[k] += change.intercept[k];
  }
  TakeOut taken(cache_, change, residuals);
  cache_.each("residuals", [&](const auto& block) { taken.visit(cache_.stream().workers(), block); });
}

void DenseBlock::save(Archive& archive) const {
  const Matrix<double>& w = head_.weights;
  archive.put_view("weights", std::span(w.data(), w.rows() * w.cols()), {w.rows(), w.cols()});
  archive.put_view("intercept", std::span<const double>(head_.intercept), {head_.intercept.size()});
}

void DenseBlock::load(const Archive& archive) {
  Matrix<double>& w = head_.weights;
  archive.get_into("weights", {w.rows(), w.cols()}, std::span(w.data(), w.rows() * w.cols()));
  head_.intercept = archive.get<double>("intercept", {head_.intercept.size()});
}

}  // namespace bochner
