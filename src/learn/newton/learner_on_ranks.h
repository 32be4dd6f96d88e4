// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "learn/learner.h"

namespace bochner {

// Learners with a smooth loss by sums over the rows of all ranks: each evaluation of objective and gradient is a fold.
//   min 1/2 |W|^2 + C sum psi(z W + b)   by L-BFGS in the coordinates in which I + C k Z^T Z is I, k the largest psi''
// (the bound of Boehning & Lindsay 1988), where few steps suffice. C is chosen by rows held out.
Fitted learner_on_ranks(const Stream& stream, const Survey& survey, const LearnerOptions& options);

// What is wrong with a learner whose rows are those of several ranks, or nothing.
std::string no_ranks(const LearnerOptions& options);

}  // namespace bochner
