// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>
#include <vector>

#include "base/threads.h"
#include "bochner/map.h"
#include "bochner/train.h"
#include "folds/survey.h"

namespace bochner {

// What is chosen before the rows are mapped: a pure function of the survey and the options, so that every worker who
// has the same survey makes the same maps.
struct Plan {
  std::vector<MapPtr> maps;  // scaling and features; either may be absent
  // A mixture with random bins has these instead, both of the rows as they are. The bins' scaling may be absent.
  MapPtr dense, bins_scaling;
  std::string kernel = {};             // of the features, where they are of one kernel
  std::vector<double> bandwidth = {};  // its length scales
  std::vector<std::string> notes;

  MapPtr map() const;  // null when rows go as they are
};

// What is wrong with the options whatever the rows are, before anyone reads them: std::invalid_argument.
// inputs: 0 while they are not known.
void check_options(const TrainOptions& options, std::size_t inputs = 0);

constexpr std::size_t kSearchFeatures = 1024;  // enough to rank bandwidths

// How large the map will be that the options ask for.
struct MapSize {
  std::size_t features = 0;
  std::size_t step = 1;   // features come in multiples of this; 0: they are not one number to choose
  double weights = 0;     // numbers it keeps per feature
  bool bounded = false;   // it bounds its features
  bool searched = false;  // its bandwidth is found by trials on a sample
};
MapSize map_size(const TrainOptions& options, const Schema& schema, std::uint64_t rows);

// A positive number, or several with commas between.
std::vector<double> parse_bandwidth(const std::string& text);

// checkpoint: logs what a search tries; may be null.
Plan make_plan(const Schema& schema, const Survey& survey, const TrainOptions& options, Threads& threads,
               Checkpoint* checkpoint = nullptr);

// One weight per class as the options ask; empty when all rows weigh the same.
std::vector<double> class_weights(const Schema& schema, const Survey& survey, const TrainOptions& options);

}  // namespace bochner
