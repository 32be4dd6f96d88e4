// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bochner/evaluation.h"

namespace bochner {

nlohmann::json score_to_json(const Score& score);
// The score with all its details side by side.
nlohmann::json evaluation_to_json(const Evaluation& evaluation);
// Times are left out: the same training gives the same file.
nlohmann::json report_to_json(const Report& report);
Report report_from_json(const nlohmann::json& tree);

}  // namespace bochner
