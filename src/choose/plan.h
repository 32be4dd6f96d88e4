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
  // Ridge on few rows: the score of the whole training, with length scales and lambda chosen again in each fold.
  std::optional<Score> nested = {};

  MapPtr map() const;  // null when rows go as they are
};

constexpr std::size_t kSearchFeatures = 1024;  // enough to rank bandwidths

// How large the map will be that the options ask for. Bins are counted later: their features are the inputs.
MapSize map_size(const TrainOptions& options, const Schema& schema, std::uint64_t rows);
// What whitening and maps that are learnt before hold at their peak, beside the sampled rows.
double learning_bytes(const TrainOptions& options, const Schema& schema);
// Whether trials on a sample find length scales of features, before the rows are mapped.
bool searches_bandwidth(const TrainOptions& options);

// The most features that a ridge on so many rows may choose by rows left out; 0: their number is said, or it follows
// from that of the rows.
std::size_t most_chosen_features(const TrainOptions& options, const Schema& schema, std::uint64_t rows);

// What the rows are mapped for: features alone, sums that ridge is solved from, or a whole training of targets, which
// prints a score.
enum class PlanFor { features, sums, training };

// checkpoint: logs what a search tries; may be null.
Plan make_plan(const Schema& schema, const Survey& survey, const TrainOptions& options, Threads& threads,
               Checkpoint* checkpoint = nullptr, PlanFor aim = PlanFor::features);

// Lets the user hear a line that is more than a choice: by TrainOptions::notice, without it by say.
void give_notice(const TrainOptions& options, const std::string& line);

// One weight per class as the options ask; empty when all rows weigh the same.
std::vector<double> class_weights(const Schema& schema, const Survey& survey, const TrainOptions& options);

}  // namespace bochner
