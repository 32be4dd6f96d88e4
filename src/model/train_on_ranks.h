// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>

#include "bochner/train.h"

namespace bochner {

// The model of several ranks' rows where it is learnt from the rows themselves, which meet on every rank; none where
// it is learnt from sums over them, or where there are no ranks. Refuses options that ranks have not.
std::optional<Model> train_gathered(Rows& rows, TrainOptions options);

// The options with a solver that makes sums, if there are ranks.
TrainOptions learnt_on_ranks(TrainOptions options);

}  // namespace bochner
