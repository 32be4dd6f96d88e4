// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <nlohmann/json.hpp>

#include "base/archive.h"
#include "bochner/json.h"
#include "model/report_json.h"
#include "rows/schema_json.h"

namespace bochner {

namespace {
std::string dumped(const nlohmann::json& tree) {
  return tree.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}
}  // namespace

std::string json_text(const Score& score) { return dumped(score_to_json(score)); }
std::string json_text(const Evaluation& evaluation) { return dumped(evaluation_to_json(evaluation)); }
std::string json_text(const Report& report) { return dumped(report_to_json(report)); }
std::string json_text(const Schema& schema) { return dumped(schema_to_json(schema)); }

std::string json_text(const Map& map) {
  Archive archive;
  map.save(archive);
  return dumped(archive.tree);
}

}  // namespace bochner
