// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "folds/survey.h"
#include "learn/grids/fit.h"
#include "learn/grids/memory.h"
#include "learn/ridge/ridge.h"
#include "run/stream.h"

namespace bochner {

struct BinningFit {
  BinningOptions binning;
  GridFitOptions fit;
  bool search_scales = false;  // length scales are found from the rows; those of `binning` are ignored
  bool search_lambda = false;  // with the scales, or for the scales given
  bool given_start = false;    // several lambdas were given: the search begins at the fit's
  GridRoom room = {};          // 0 bytes: as the execution says
};

// A head of random bins on the stream's rows, which it keeps packed in memory. The head takes the stream's
// features, so a model is the stream's map and then the head.
// validation: rows through the same map that give the score; none: rows held out of the search, or of one more fit.
Fitted fit_binning(const Stream& stream, const Survey& survey, BinningFit options, const Stream* validation = nullptr);

}  // namespace bochner
