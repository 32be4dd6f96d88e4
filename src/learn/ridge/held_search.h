// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "folds/gram_and_held.h"
#include "learn/ridge/ridge.h"

namespace bochner {

// The sums of all rows, and the share of them that chooses lambda: 1 where each is left out. any_rows: rows will be
// removed that were not added together.
GramAndHeld gram_and_held(const Stream& stream, const Survey& survey, const RidgeOptions& options,
                          const TargetCode& code, double fraction, bool any_rows = false);
// The lambdas on the rows held or left out. The sums are as before afterwards.
LambdaSearch choose_on_held(const Stream& stream, const Survey& survey, GramAndHeld& sums, const RidgeOptions& options,
                            bool left_out);

}  // namespace bochner
