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
  std::vector<std::string> notes;

  MapPtr map() const;  // null when rows go as they are
};

// What is wrong with the options whatever the rows are, before anyone reads them: std::invalid_argument.
// inputs: 0 while they are not known.
void check_options(const TrainOptions& options, std::size_t inputs = 0);

// A positive number, or several with commas between.
std::vector<double> parse_bandwidth(const std::string& text);

Plan make_plan(const Schema& schema, const Survey& survey, const TrainOptions& options, Threads& threads);

// One weight per class as the options ask; empty when all rows weigh the same.
std::vector<double> class_weights(const Schema& schema, const Survey& survey, const TrainOptions& options);

}  // namespace bochner
