// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/train.h"
#include "choose/map_parts.h"
#include "methods/bins/fit_mixture.h"

namespace bochner {

// How random bins are drawn and learnt, refused where it makes no sense: std::invalid_argument. part: of bins. rows and
// inputs: 0 while unknown.
BinningFit binning_fit(const TrainOptions& options, const PartPlan& part, std::size_t inputs, std::uint64_t rows);

// The same for a mixture of bins with dense parts.
MixtureFit mixture_fit(const TrainOptions& options, std::size_t inputs, std::uint64_t rows);

// How numbers are scaled unless the options say: as they are, or by quantile for grids of few inputs.
ColumnScaling::Method binning_scaling(const PartPlan& part, const Schema& schema);

}  // namespace bochner
