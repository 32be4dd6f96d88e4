// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const Model model = Model::load("cars.model");
//   std::puts(json_text(model.report()).c_str());  // {"features":500, ...

#include <string>

#include "bochner/evaluation.h"
#include "bochner/map.h"
#include "bochner/report.h"
#include "bochner/schema.h"

namespace bochner {

// What the command prints with --json, as one line each. Texts that are no UTF-8 have their bytes replaced.
std::string json_text(const Score& score);
std::string json_text(const Evaluation& evaluation);  // the score with all its details side by side
std::string json_text(const Report& report);          // times are left out
std::string json_text(const Schema& schema);
std::string json_text(const Map& map);  // what it saves, without the arrays

}  // namespace bochner
