// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/components/root_weights.h"

#include <cmath>

#include "base/require.h"
#include "folds/row_moments.h"
#include "learn/score.h"
#include "maps/dense_block.h"
#include "maps/map_of.h"

namespace bochner {

namespace {

// sum: w z with w behind it, for the mean; else sqrt(w) (z - mean).
class ByWeight final : public MapOf<ByWeight> {
 public:
  ByWeight(std::vector<double> mean, bool sum) : mean_(std::move(mean)), sum_(sum) {}

  std::size_t inputs() const override { return mean_.size(); }
  std::size_t outputs() const override { return mean_.size() + (sum_ ? 1 : 0); }
  std::string spec() const override { return "by weight"; }
  void save(Archive&) const override { require(false, "{}: is a step of a fit, expected a map of a model", spec()); }

  template <class T>
  void apply_rows(const Backend&, const RowBlock<T>& x, MatrixView<T> y) const {
    const DenseBlock<T> dense(x);
    for (std::size_t i = 0; i < x.rows; ++i) {
      const double w = weight_of(x.weights, i), factor = sum_ ? w : std::sqrt(w);
      for (std::size_t j = 0; j < mean_.size(); ++j) y(i, j) = T(factor * (double(dense.rows()(i, j)) - mean_[j]));
      if (sum_) y(i, mean_.size()) = T(w);
    }
  }

 private:
  std::vector<double> mean_;
  bool sum_;
};

}  // namespace

WeightedMean weighted_mean(const Stream& stream) {
  const std::size_t d = stream.features();
  const RowMoments sums =
      stream.through(std::make_shared<const ByWeight>(std::vector<double>(d), true)).fold(RowMoments(d + 1), "means");
  std::vector<double> mean = sums.mean();
  const double weight = mean.back();
  if (!(weight > 0)) fail(Error::Kind::data, "weights: all rows weigh 0, expected some that count");
  mean.pop_back();
  for (double& m : mean) m /= weight;
  return {std::move(mean), weight * double(sums.rows())};
}

MapPtr root_weights(std::vector<double> mean) { return std::make_shared<const ByWeight>(std::move(mean), false); }

}  // namespace bochner
