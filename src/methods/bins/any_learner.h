// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/learner.h"
#include "methods/bins/fit_mixture.h"

namespace bochner {

// Whether grids have a solver of their own for the learner: ridge, svm and logistic.
bool has_grid_solver(Learner learner);

// Any learner on random bins, which it takes as CSR features of one 1 per grid, by Newton's method; with dense features
// beside them where `dense` is not null. Length scales, and the weights of the two parts where none are given, are
// those of the squared loss. The streams, the head and the validation rows are as in fit_binning and fit_mixture.
Fitted fit_learner_on_bins(const Stream* dense, const Stream& bins, const Survey& survey, MixtureFit options,
                           const LearnerOptions& learner, const Stream* validation = nullptr);

}  // namespace bochner
