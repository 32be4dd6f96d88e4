// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/threads.h"
#include "bochner/map.h"
#include "bochner/map_kind.h"
#include "bochner/report.h"
#include "bochner/train.h"
#include "folds/survey.h"

namespace bochner {

// What is chosen before the rows are mapped: a pure function of the survey and the options, so that every worker who
// has the same survey makes the same maps.
struct Plan {
  std::vector<MapPtr> maps = {};  // scaling and features; either may be absent
  // A mixture with random bins has these instead, both of the rows as they are. The bins' scaling may be absent.
  MapPtr dense = {}, bins_scaling = {};
  std::string kernel = {};             // the features' kernel, if it is one
  std::vector<double> bandwidth = {};  // its length scales
  std::vector<std::string> notes;
  // Ridge on few rows: the score of the whole training, with every choice made again in each fold.
  std::optional<Score> nested = {};

  MapPtr map() const;  // null when rows go as they are
};

constexpr std::size_t kSearchFeatures = 1024;  // enough to rank bandwidths

// How large the map will be that the options ask for. Bins are counted later: their features are the inputs.
MapSize map_size(const TrainOptions& options, const Schema& schema, std::uint64_t rows);
// Whether trials on a sample find length scales of features, before the rows are mapped.
bool searches_bandwidth(const TrainOptions& options);

// checkpoint: logs what a search tries; may be null. scored: the plan is for a training of targets that prints a score.
Plan make_plan(const Schema& schema, const Survey& survey, const TrainOptions& options, Threads& threads,
               Checkpoint* checkpoint = nullptr, bool scored = false);

// Lets the user hear a line that is more than a choice: by TrainOptions::notice, without it by say.
void give_notice(const TrainOptions& options, const std::string& line);

// One weight per class as the options ask; empty when all rows weigh the same.
std::vector<double> class_weights(const Schema& schema, const Survey& survey, const TrainOptions& options);

}  // namespace bochner
