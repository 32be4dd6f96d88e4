// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>

#include "folds/survey.h"
#include "learn/ridge.h"

namespace bochner {

struct BandwidthSearch {
  double factor = 1;  // the best bandwidth over the median one
  std::size_t rows = 0;
};

// Tries half, the same, twice ... the given bandwidth: ridge on a sample of rows, three-fold cross-validation,
// the best lambda for each. map_at(factor) gives the features (few of them) at a bandwidth.
BandwidthSearch search_bandwidth(const Schema& schema, const Survey& survey, Threads& threads,
                                 const std::function<MapPtr(double factor)>& map_at);

}  // namespace bochner
