// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bochner/model.h"

namespace bochner {

// Everything that is in the file of a model but its arrays.
nlohmann::json model_json(const Model& model, const std::string& path);

}  // namespace bochner
