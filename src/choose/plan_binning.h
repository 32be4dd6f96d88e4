// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/train.h"
#include "learn/grids/mixture.h"

namespace bochner {

// What the options of a binning part say of it, refused where it makes no sense: std::invalid_argument. rows and
// inputs: 0 while unknown.
//   law=laplacian|reciprocal|hat|log-uniform, low=, high=   the pitches; default: those of the kernel
//   order=1-2, pursuit=20                                   grids of few inputs, chosen among several draws
//   min_rows=2, max_bins=65536                              bins that are kept
//   steps=8 | sweeps=5                                      of conjugate gradients, or passes grid by grid
BinningFit binning_fit(const TrainOptions& options, std::size_t inputs, std::uint64_t rows);

// The same for a mixture of bins with dense parts.
MixtureFit mixture_fit(const TrainOptions& options, std::size_t inputs, std::uint64_t rows);

// How numbers are scaled unless the options say: as they are, or by quantile for grids of few inputs.
ColumnScaling::Method binning_scaling(const TrainOptions& options, const Schema& schema);

}  // namespace bochner
