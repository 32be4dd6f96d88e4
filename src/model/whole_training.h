// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>

#include "base/threads.h"
#include "bochner/train.h"
#include "folds/survey.h"
#include "learn/ridge/ridge.h"

namespace bochner {

// A training that chooses maps and heads itself. The head is the whole of it, from rows to predictions. Nothing if the
// rows do not suit it: it says why.
using WholeTraining = std::optional<Fitted> (*)(Rows& rows, const Survey& survey, const TrainOptions& options,
                                                Threads& threads, const Execution& execution);

// The one that the options ask for; null: they ask for a map and a learner, which train() fits itself.
// src/methods/registered.cc has the table.
WholeTraining whole_training(const TrainOptions& options);

}  // namespace bochner
