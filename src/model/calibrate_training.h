// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/train.h"

namespace bochner {

// TrainOptions::calibrate, for a model trained on all rows: by the rows that chose lambda where the options bring some,
// otherwise by a training on a part of the rows. Why it cannot be done is said.
void calibrate_training(Model& model, Rows& rows, const TrainOptions& options);

// TrainOptions::groups or times, for a model whose own score left out rows one by one or by their numbers: the score of
// one more training on rows of groups, or later rows, that it did not see. No score where too few rows can be held out.
void score_by_groups(Model& model, Rows& rows, const TrainOptions& options);

}  // namespace bochner
