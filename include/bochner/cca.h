// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto rows = open_rows("cars.csv", {.targets = {"price", "power"}});  // one view; the inputs are the other
//   CcaOptions options;
//   options.features.map = Fourier{};  // kernel CCA; without it of the scaled inputs
//   const Model model = cca(*rows, options);
//   for (const double r : figure_of(*model.head(), "correlations")) std::printf("%g\n", r);

#include <cstddef>
#include <vector>

#include "bochner/feature_options.h"
#include "bochner/figures.h"
#include "bochner/model.h"
#include "bochner/rows.h"

namespace bochner {

struct CcaOptions {
  std::size_t rank = 0;              // 0: as many as there are targets
  std::vector<double> lambdas = {};  // penalties of C_xx + lambda I; empty: searched, as for lda; several: the best
  FeatureOptions features = {};
};

// Canonical correlations of the features of the rows and their targets (Hotelling 1936): pairs of directions in which
// both views agree most, each uncorrelated with those before. With a map whose inner products are a kernel it is kernel
// CCA of the inputs (Lai & Fyfe 2000), its penalty as in ridge.
// A model that maps a row to the coordinates of its inputs, of variance about 1. The head has the figures
// "correlations", of the training rows; "target_directions", the directions of the other view, one after the other in
// the order of the targets; and "target_means", which they are about. Weights count. The same bytes for any threads and
// blocks. Calls may run at the same time in several threads, each on rows of its own.
Model cca(Rows& rows, const CcaOptions& options = {});

}  // namespace bochner
