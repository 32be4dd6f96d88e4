// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bochner/map.h"
#include "folds/survey.h"

namespace bochner {

// How inputs are scaled. No method: chosen per column by what the survey saw:
//   indicators (0 and 1) are left alone;
//   inputs that all share one range (pixels) are divided by it together;
//   skewed positive inputs get a logarithm, then all are brought to mean 0 and deviation 1.
// Whatever the method, an input that never varies teaches nothing and is left out: it becomes 0, so that it cannot
// move a prediction once it does vary. Inputs that are to be as given stay: a distance between places needs both of
// their coordinates.
// Inputs that are to be whitened are standardized here.
// Sparse inputs are only divided, so that zeros stay zeros: shift-invariant kernels do not see the centre.
struct ScalingChoice {
  std::optional<ColumnScaling::Method> method;
  std::vector<std::pair<std::size_t, ColumnScaling::Method>> per_input;  // these inputs differently
  bool keep_constants = false;                                           // they stand in for an intercept
  std::vector<std::size_t> as_given = {};  // left alone, constants too, unless per_input says more
};

struct ChosenScaling {
  std::vector<ColumnScaling> columns;
  std::string summary;                 // for people: "7 standardized, 5 by log, 44 left alone"
  std::vector<std::size_t> constants;  // inputs left out
  std::vector<char> whitened = {};     // one per input; empty: none is to be whitened behind this scaling
  MapPtr map() const;                  // null when every column is left alone
};

bool is_constant(const Survey& survey, std::size_t input);

ChosenScaling choose_scaling(const Schema& schema, const Survey& survey, const ScalingChoice& choice);

}  // namespace bochner
