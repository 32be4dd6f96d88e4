// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>
#include <vector>

#include "bochner/train.h"

namespace bochner {

// What a person might try after this training, most promising first, each with the words to type.
std::vector<std::string> advice(const Report& report, const TrainOptions& options);

}  // namespace bochner
