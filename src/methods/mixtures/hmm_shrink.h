// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "bochner/hmm.h"
#include "methods/mixtures/hmm_fold.h"

namespace bochner {

// How many rows each Gaussian of each model has: state s and component m of class c at (c S + s) M + m.
std::vector<double> gaussian_rows(const HmmPass& pass, const std::vector<Hmm>& hmms);

// Covariances drawn towards the mean P of those of all states of all classes by their rows w, as if each state had
// `rows` more that have it: S = (w S + rows P) / (w + rows). Friedman, Regularized discriminant analysis, 1989.
std::vector<Hmm> shrunk(std::vector<Hmm> hmms, const std::vector<double>& weights, double rows);

}  // namespace bochner
