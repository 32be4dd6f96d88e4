// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/train.h"

namespace bochner {

// TrainOptions::calibrate, for a model trained on all rows: by the rows that chose lambda where the options bring some,
// otherwise by a training on a part of the rows. Why it cannot be done is said.
void calibrate_training(Model& model, Rows& rows, const TrainOptions& options);

}  // namespace bochner
