// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <nlohmann/json.hpp>

#include "bochner/drift.h"

namespace bochner {

std::string json_text(const Drift& drift) {
  nlohmann::json tree{{"p_value", drift.p_value},
                      {"statistic", drift.statistic},
                      {"columns", nlohmann::json::array()},
                      {"bandwidths", nlohmann::json::array()},
                      {"missing_in_new", drift.missing_in_new},
                      {"missing_in_reference", drift.missing_in_reference},
                      {"rows_reference", drift.rows_reference},
                      {"rows_new", drift.rows_new},
                      {"kernel", drift.kernel},
                      {"features", drift.features},
                      {"permutations", drift.permutations},
                      {"blocks", drift.blocks},
                      {"block_rows", drift.block_rows},
                      {"correction", "westfall-young"},
                      {"notes", drift.notes}};
  if (!drift.windows.empty()) tree["windows"] = nlohmann::json::array();
  for (const Drift::Window& window : drift.windows)
    tree["windows"].push_back({{"first_row", window.first},
                               {"rows", window.rows},
                               {"p_value", window.p_value},
                               {"p_value_alone", window.p_value_alone},
                               {"statistic", window.statistic}});
  for (const Drift::Scale& scale : drift.scales)
    tree["bandwidths"].push_back({{"bandwidth", scale.bandwidth},
                                  {"mmd2", scale.mmd2},
                                  {"mmd2_unbiased", scale.mmd2_unbiased},
                                  {"p_value", scale.p_value}});
  for (const Drift::ColumnChange& column : drift.columns) {
    nlohmann::json node{{"name", column.name},
                        {"type", column.text ? "text" : "number"},
                        {"p_value", column.p_value},
                        {"p_value_alone", column.p_value_alone},
                        {"statistic", column.statistic},
                        {"distance", column.distance},
                        {"share_reference", column.share_reference},
                        {"share_new", column.share_new}};
    if (column.text) {
      node["levels"] = column.levels;
    } else {
      node["missing_reference"] = column.missing_reference;
      node["missing_new"] = column.missing_new;
      if (column.dates) node["dates"] = true;
      node["mean_reference"] = column.mean_reference;
      node["mean_new"] = column.mean_new;
      node["deviation"] = column.deviation;
      node["edges"] = column.edges;
    }
    tree["columns"].push_back(std::move(node));
  }
  return tree.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace bochner
