// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto rows = open_rows("cars.csv", {.target_required = false});
//   KMeansOptions options{.clusters = 8};
//   options.features.map = Fourier{};  // kernel k-means; without it of the scaled inputs
//   const Model model = kmeans(*rows, options);
//   const Matrix<double> scores = model.predict(*rows);  // the largest of a row is its cluster's
//   std::printf("inertia %g\n", figure_of(*model.head(), "inertia").back());

#include <cstddef>

#include "bochner/feature_options.h"
#include "bochner/figures.h"
#include "bochner/model.h"
#include "bochner/rows.h"

namespace bochner {

struct KMeansOptions {
  std::size_t clusters = 8;
  int restarts = 3;       // starts on a sample, refined there; the best goes on to all rows
  int most_passes = 300;  // passes over all rows
  double tolerance =
      1e-4;  // the centres stand still: the sum of their squared steps is so much of a feature's variance
  FeatureOptions features = {};
};

// Clusters of the features of the rows, each nearest to the mean of its own: Lloyd's algorithm. With a map whose inner
// products are a kernel it is kernel k-means. Weights count.
// A model that puts out minus the squared distance of a row to every centre: the largest is that of its cluster. The
// clusters come in the order of their weight, the heaviest first. The head has the figures "inertia" of every pass
// and at last, "weights" of the clusters, and "silhouette" of a sample (Rousseeuw 1987) where there are several.
// The same bytes for any threads, blocks and memory. Calls may run at the same time in several threads, each on rows of
// its own.
Model kmeans(Rows& rows, const KMeansOptions& options = {});

}  // namespace bochner
