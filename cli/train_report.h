// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bochner/model.h"
#include "train_words.h"

namespace bochner {

// What a training prints: a line for its own score, and one each for --folds and --test.
std::string train_text(const Model& model, const TrainWords& words, double seconds);
nlohmann::json train_json(const Model& model, const TrainWords& words, double seconds);

}  // namespace bochner
