// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bochner/schema.h"

namespace bochner {

// A schema as it stands in a model file. Texts keep their bytes, UTF-8 or not.
nlohmann::json schema_to_json(const Schema& schema);

// Strict: a missing or unknown key, a wrong type or a contradiction is Error::Kind::model.
Schema schema_from_json(const nlohmann::json& tree);

}  // namespace bochner
