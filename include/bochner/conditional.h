// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto rows = open_rows("cars.csv", {.targets = {"price"}, .task = Task::regression});
//   const MapPtr z = fourier(rows->schema().inputs, {.kernel = gaussian(2.0), .features = 256});
//   const MapPtr u = fourier(1, {.kernel = gaussian(500.0), .features = 128});
//   const ConditionalEmbedding price(*rows, z, u, 1e-3);
//   std::vector<double> car(rows->schema().inputs);
//   Matrix<double> prices(2, 1);
//   prices(0, 0) = 9000, prices(1, 0) = 15000;
//   const std::vector<double> likely = price.at(car, prices.view());  // which is likelier of such a car

#include <span>
#include <vector>

#include "bochner/execution.h"
#include "bochner/map.h"
#include "bochner/matrix.h"
#include "bochner/rows.h"

namespace bochner {

// The kernel mean of targets given inputs, mu(x) = E[u(Y) | x] = C z(x) with C the ridge regression of u(y) on z(x)
// (Song, Huang, Smola & Fukumizu, ICML 2009). It has the whole law of Y given x, not its mean alone.
// Rows count by their weights: rows of the inputs that are wanted more often than they occur carry a prior in them, and
// inputs and targets exchanged, this is Bayes' rule.
//
// A value: copies are cheap, and any number of threads may read one.
class ConditionalEmbedding {
 public:
  // inputs: features z of a row's inputs; targets: u of its targets, which are numbers; both with a bound, as fourier
  // has. lambda > 0: of sum w |u - C z|^2 + lambda sum w |C|^2. One pass; the same for any threads.
  ConditionalEmbedding(Rows& rows, MapPtr inputs, MapPtr targets, double lambda, const Execution& execution = {});

  const MapPtr& mean() const { return mean_; }        // x -> mu(x)
  const MapPtr& targets() const { return targets_; }  // u

  // <mu(x), u(y)> for every row y: the density of Y given x, smoothed by the kernel of u and up to its scale.
  std::vector<double> at(std::span<const double> x, MatrixView<const double> y) const;
  // E[f(Y) | x] where f is known at points y: by the weights of the points that come nearest to mu(x). The points
  // should cover where Y may be; a kernel's length scale apart is near enough.
  double expected(std::span<const double> x, MatrixView<const double> y, std::span<const double> f) const;

 private:
  std::vector<double> mean_at(std::span<const double> x) const;

  MapPtr mean_, targets_;
};

}  // namespace bochner
