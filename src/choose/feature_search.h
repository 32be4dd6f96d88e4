// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <vector>

#include "choose/bandwidth_search.h"
#include "choose/plan.h"

namespace bochner {

struct FeatureSearch {
  std::size_t features = 0;  // what the training takes
  std::size_t tried = 0;     // the largest number that was tried
  std::vector<double> length_scales;
};

struct FeatureRange {
  std::size_t least = 0, most = 0;
  double rule = 0;                   // the length scale by a rule, where searches begin as well; 0: they are given
  std::vector<double> lambdas = {};  // given ones
};

// The number of features is doubled, from `least` to `most`, as long as that lowers the error of rows left out by so
// much that it is worth its time. Each number has length scales of its own, `found` times powers of two: few features
// do best with long ones. make: a map of so many features.
FeatureSearch search_features(const SampleTrial& trial, const Kernel& kernel, const BandwidthSearch& found,
                              const FeatureRange& range,
                              const std::function<MapPtr(const Kernel&, std::size_t features)>& make);

}  // namespace bochner
