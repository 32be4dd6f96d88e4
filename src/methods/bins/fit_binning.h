// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "folds/survey.h"
#include "learn/ridge/ridge.h"
#include "methods/bins/fit.h"
#include "methods/bins/memory.h"
#include "run/stream.h"

namespace bochner {

struct BinningFit {
  BinningOptions binning;
  GridFitOptions fit;
  bool search_scales = false;  // length scales are found from the rows; those of `binning` are ignored
  bool search_lambda = false;  // lambda is found with the scales, or for the scales given
  bool given_start = false;    // several lambdas were given: the search begins at the fit's
  // What the fit's lambda stands for until the weights of the rows are known: as it is, where their mean is 1; a lambda
  // per row times their number; or 1 / C.
  enum class Given { as_it_is, per_row, cost } given = Given::as_it_is;
  MemoryBudget budget = {};  // 0 bytes: as the execution says
};

// The fit's lambda for these rows and their weights, from what was given.
void settle_lambda(BinningFit& options, const GridTargets& targets, const Survey& survey);

// A head of random bins on the stream's rows, which it keeps packed in memory. The head takes the stream's
// features, so a model is the stream's map and then the head.
// validation: rows through the same map that give the score; none: rows held out of the search, or of one more fit.
Fitted fit_binning(const Stream& stream, const Survey& survey, BinningFit options, const Stream* validation = nullptr);

}  // namespace bochner
