// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "bochner/map.h"
#include "run/stream.h"

namespace bochner {

// The mean of a stream's features by the weights of its rows. Error::Kind::data where they add up to nothing.
struct WeightedMean {
  std::vector<double> mean = {};
  double weight = 0;  // sum over all rows
};
WeightedMean weighted_mean(const Stream& stream);

// A step of a fit, not of a model: a row z of weight w becomes sqrt(w) (z - mean), so that plain sums of squares and
// products of what comes out are those by weight.
MapPtr root_weights(std::vector<double> mean);

}  // namespace bochner
