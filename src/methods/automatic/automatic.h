// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "base/threads.h"
#include "bochner/train.h"
#include "folds/survey.h"
#include "learn/ridge/ridge.h"

namespace bochner {

// The automatic machine: a race of a kernel in a learnt metric, random bins and a linear model on rows held out, a
// blend of them by non-negative least squares, and a refit on all rows. The head is the whole of it, from rows to
// predictions. Nothing where the rows do not suit it (too few, too wide, too many outputs): the reason is said.
std::optional<Fitted> fit_automatic(Rows& rows, const Survey& survey, const TrainOptions& options, Threads& threads,
                                    const Execution& execution);

}  // namespace bochner
