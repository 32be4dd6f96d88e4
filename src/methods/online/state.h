// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "bochner/online.h"
#include "methods/online/kept_sum.h"
#include "model/train_keeping.h"

namespace bochner {

struct OnlineModel::State {
  Model model;
  KeptSum sum;
};

// What the options left to the rows, and what they chose themselves. from: what to call the rows.
std::vector<Choice> choices_made(const TrainOptions& options, const Model& model, const KeptFit& kept,
                                 const std::string& from);

// The model of the sums, by the choices of `like`: a pure function of both.
Model solved_again(const Model& like, const KeptSum& kept, const Execution& execution);

}  // namespace bochner
