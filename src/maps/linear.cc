// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/aligned.h"
#include "base/archive.h"
#include "base/checked_arrays.h"
#include "base/finite.h"
#include "base/require.h"
#include "maps/composed.h"
#include "maps/load.h"
#include "maps/map_of.h"

namespace bochner {

namespace {

// y = x W + b. The coefficients are kept in double and once more as float for float rows.
class LinearMap final : public MapOf<LinearMap> {
 public:
  LinearMap(Matrix<double> weights, std::vector<double> intercept)
      : weights_(std::move(weights)),
        intercept_(std::move(intercept)),
        weights_float_(weights_.rows(), weights_.cols()) {
    require(weights_.rows() > 0 && weights_.cols() > 0, "linear map: weights are {} x {}, expected at least 1 x 1",
            weights_.rows(), weights_.cols());
    if (intercept_.empty()) intercept_.assign(weights_.cols(), 0.0);
    require(intercept_.size() == weights_.cols(), "linear map: found {} intercepts for {} outputs", intercept_.size(),
            weights_.cols());
    std::copy_n(weights_.data(), weights_.rows() * weights_.cols(), weights_float_.data());
  }

  std::size_t inputs() const override { return weights_.rows(); }
  std::size_t outputs() const override { return weights_.cols(); }

  template <class T>
  void apply_rows(const Backend& on, const RowBlock<T>& block, MatrixView<T> out) const {
    for (std::size_t i = 0; i < block.rows; ++i)
      for (std::size_t k = 0; k < outputs(); ++k) out(i, k) = T(intercept_[k]);
    if (block.sparse()) {
      for (std::size_t i = 0; i < block.rows; ++i)
        for (std::size_t p = block.offsets[i]; p < block.offsets[i + 1]; ++p)
          for (std::size_t k = 0; k < outputs(); ++k) out(i, k) += block.values[p] * weights<T>()(block.columns[p], k);
    } else {
      on.multiply(MatrixView<const T>{block.values, block.rows, block.cols, block.stride}, weights<T>(), T(1), out);
    }
  }

  double largest_coefficient() const override {
    return std::max(largest_size<double>({weights_.data(), inputs() * outputs()}), largest_size<double>(intercept_));
  }

  std::string spec() const override { return fmt::format("linear:inputs={},outputs={}", inputs(), outputs()); }
  void save(Archive& archive) const override {
    archive.tree["type"] = "linear";
    archive.put<double>("weights", {weights_.data(), inputs() * outputs()}, {inputs(), outputs()});
    archive.put<double>("intercept", intercept_, {outputs()});
  }

 private:
  template <class T>
  MatrixView<const T> weights() const {
    if constexpr (std::is_same_v<T, float>)
      return weights_float_.view();
    else
      return weights_.view();
  }

  Matrix<double> weights_;
  std::vector<double> intercept_;
  Matrix<float> weights_float_;
};

}  // namespace

MapPtr linear(Matrix<double> weights, std::vector<double> intercept) {
  return std::make_shared<LinearMap>(std::move(weights), std::move(intercept));
}

MapPtr load_linear(const Archive& archive) {
  return build_from_model([&] {
    Matrix<double> weights = get_matrix<double>(archive, "weights");
    std::vector<double> intercept = archive.get<double>("intercept", {weights.cols()});
    require(all_finite<double>({weights.data(), weights.rows() * weights.cols()}) && all_finite<double>(intercept),
            "linear map: a coefficient is not finite");
    return linear(std::move(weights), std::move(intercept));
  });
}

}  // namespace bochner
