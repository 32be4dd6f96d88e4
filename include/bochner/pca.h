// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto rows = open_rows("cars.csv", {.target_required = false});
//   const Model linear = pca(*rows, {.rank = 3});  // takes the scaled inputs
//   PcaOptions options{.rank = 3};
//   options.features.map = Fourier{};  // kernel principal components
//   const Model kernel = pca(*rows, options);
//   for (const double share : figure_of(*kernel.head(), "explained_variance_ratio")) std::printf("%g\n", share);
//   kernel.save("cars.pca");

#include <cstddef>
#include <optional>

#include "bochner/factor.h"
#include "bochner/feature_options.h"
#include "bochner/figures.h"
#include "bochner/model.h"
#include "bochner/rows.h"

namespace bochner {

struct PcaOptions {
  std::size_t rank = 2;
  std::optional<std::size_t> passes = {};  // where there are too many features for their covariance, see SvdOptions
  FeatureOptions features = {};
};

// Principal components of the features z of the rows: the eigenvectors V of their covariance with the largest
// eigenvalues. With a map whose inner products are a kernel it is kernel PCA (Schoelkopf, Smola & Mueller 1998) of the
// kernel that the features have, in time linear in the rows (Lopez-Paz et al. 2014).
// A model that maps a row to (z - mean) V; map()->inverse(map()) leads back where the map has a way back. The head
// has the figures "explained_variance" (with n - 1) and "explained_variance_ratio" of each component. Rows stream and
// count by their weights. The same bytes for any threads and blocks. Calls may run at the same time in several threads,
// each on rows of its own.
Model pca(Rows& rows, const PcaOptions& options = {});

}  // namespace bochner
