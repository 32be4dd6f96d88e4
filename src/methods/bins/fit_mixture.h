// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>

#include "methods/bins/fit_binning.h"

namespace bochner {

// Dense features and random bins in one ridge, for the kernel  w_1 k_dense + w_2 k_bins:
//   min  1/2 sum_i w_i (y_i - b - z(x_i) . u - sum_g v_g[bin_g(x_i)])^2 + lambda/2 (|u|^2 / w_1 + P |v|^2 / w_2).
struct MixtureFit {
  BinningFit bins;
  double bins_weight = 1;                   // w_2
  std::optional<double> dense_weight = {};  // w_1; none: both weights are chosen on rows held out
};

// dense: the rows through the map that makes the dense features; bins: the same rows as the grids see them. Learnt
// together, by block Gauss-Seidel: the dense part's exact step and a sweep over the grids in turn. The head takes the
// rows as they are, before either map. validation: rows without a map that give the score; none: rows held out.
Fitted fit_mixture(const Stream& dense, const Stream& bins, const Survey& survey, MixtureFit options,
                   const Stream* validation = nullptr);

// Length scales and weights where they are open, chosen by that ridge for another learner: they go into the options.
void choose_mixture(const Stream& dense, const Stream& bins, const Survey& survey, MixtureFit& options, Report& report);

}  // namespace bochner
