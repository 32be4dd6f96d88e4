// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>

#include "choose/sample_trial.h"

namespace bochner {

// What a training of ridge chooses by a score.
struct Chosen {
  MapPtr map;  // maps scaled inputs to features
  double lambda = 0;
};

// The score of a training whose bandwidth and lambda are chosen: the rows are held out in kNestedFolds folds (of
// classes, each with its share), and choose(rest) makes every choice again on the others. Varma & Simon, BMC
// Bioinformatics 2006.
Score nested_score(const SampleTrial& trial, const std::function<Chosen(const SampleTrial& rest)>& choose);

}  // namespace bochner
