// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/learner.h"
#include "learn/ridge/normal_equations.h"
#include "learn/ridge/ridge.h"

namespace bochner {

// A learner by Newton's method on a store of the stream's features, dense or CSR; ridge, which has better solvers for
// dense ones, on CSR. Where C is to be chosen, rows held out (or the validation rows) choose it and give the score; a
// single C is used as it is, on all rows. Says what is kept. make_head: turns coefficients of the stream's features
// into the head; none: a linear map.
using MakeHead = std::function<MapPtr(const Coefficients&)>;
Fitted fit_learner(const Stream& stream, const Survey& survey, const LearnerOptions& options,
                   const Stream* validation = nullptr, const std::function<void(const std::string&)>& say = {},
                   const MakeHead& make_head = {});
// The same for one C or lambda that is given, from the coefficients of an earlier fit of these features.
Fitted fit_learner_from(const Stream& stream, const Survey& survey, const LearnerOptions& options,
                        const Coefficients& start);

}  // namespace bochner
