// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <vector>

#include "bochner/learner.h"
#include "learn/score.h"

namespace bochner {

// The share of the rows that is held out to choose C.
double fraction_held_out(double rows);

struct TrialOfC {
  double C = 0, loss = 0;
  Score score;
};

// Every C given, in their order; or half-decades from 1 until the loss turns, which it has not while it is flat: a head
// that does not see the rows yet.
std::vector<TrialOfC> try_path(const std::vector<double>& given, const std::function<TrialOfC(double)>& evaluate);

// The values of C to try; a hard margin has one, of no effect.
std::vector<double> given_C(const LearnerOptions& options, double weight);

}  // namespace bochner
