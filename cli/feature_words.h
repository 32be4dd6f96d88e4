// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>
#include <vector>

#include "bochner/feature_options.h"
#include "options.h"

namespace bochner {

constexpr const char* kMachine = "The machine; what is left out is chosen and said";  // a group in the help

// The words of how rows become features, as typed.
struct FeatureWords {
  std::string kernel, gamma, bandwidth, map, precision = "float";
  std::size_t features = 0;
  std::vector<std::string> scales;
  Word* features_given = nullptr;
  std::uint64_t seed = 0;

  // default_bandwidth: what is done without --bandwidth, for the help. map is the default of --map.
  void add_map(Command& app, const std::string& default_bandwidth);
  void add_precision_and_seed(Command& app);
  bool double_precision() const;
  // All of FeatureOptions but the execution and what is said.
  FeatureOptions feature_options() const;
};

// The words of --scale: a method for all inputs, or NAME=METHOD for one.
void parse_scales(const std::vector<std::string>& scales, FeatureOptions& options);

}  // namespace bochner
