// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   FeatureOptions features;
//   features.map = Fourier{};
//   features.features = 2000;
//   features.bandwidth = Bandwidth::Rule::median;

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bochner/execution.h"
#include "bochner/kernel.h"
#include "bochner/map.h"
#include "bochner/map_options.h"
#include "bochner/rows.h"

namespace bochner {

// How rows become the features that components, clusters and densities are learnt from. As in training, what is left
// out is chosen from the rows, said and recorded; without a map the features are the scaled inputs.
struct FeatureOptions {
  MapOptions map = NoMap{};
  Kernel kernel = {};        // its length scales are replaced by the bandwidth
  Bandwidth bandwidth = {};  // searched: by trials where there are targets, otherwise the median distance
  std::size_t features = 0;  // outputs of the map or landmarks; 0: by the number of rows
  std::optional<ColumnScaling::Method> scale = {};                               // none: by column
  std::vector<std::pair<std::string, ColumnScaling::Method>> scale_inputs = {};  // these inputs, by name, differently
  bool double_precision = false;                                                 // features in double
  std::uint64_t seed = 0;                                                        // seed of everything random
  Execution execution = {};
  std::function<void(const std::string&)> say = {};  // each choice, as it is made, on the calling thread
};

// The scaling that `scale` and `scale_inputs` choose for the inputs of rows, as they are: a map of as many outputs.
// Null: every input is left alone.
MapPtr column_scaling(Rows& rows, const FeatureOptions& options = {});

}  // namespace bochner
