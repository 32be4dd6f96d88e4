// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>
#include <vector>

#include "bochner/train.h"

namespace bochner {

// What a person might try after this training, most promising first, each with the words to type.
// tested: the model was scored on rows that the training did not see.
std::vector<std::string> advice(const Model& model, const TrainOptions& options, bool tested);

}  // namespace bochner
