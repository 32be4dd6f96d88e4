// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <nlohmann/json.hpp>

#include "bochner/insight.h"
#include "model/report_json.h"

namespace bochner {

std::string json_text(const Insight& insight) {
  nlohmann::json tree{{"evaluation", evaluation_to_json(insight.evaluation)},
                      {"sample_rows", insight.sample_rows},
                      {"shuffled_rows", insight.shuffled_rows},
                      {"measure", insight.measure},
                      {"measured", insight.measured},
                      {"notes", insight.notes},
                      {"importance", nlohmann::json::array()},
                      {"dependence", nlohmann::json::array()}};
  for (const Insight::Importance& i : insight.importance)
    tree["importance"].push_back({{"column", i.column}, {"rise", i.rise}, {"standard_error", i.standard_error}});
  for (const Insight::Dependence& d : insight.dependence) {
    nlohmann::json curves = nlohmann::json::array();
    for (std::size_t c = 0; c < d.names.size(); ++c) {
      curves.push_back({{"name", d.names[c]}, {"mean", d.means[c]}});
      if (!d.missing.empty()) curves.back()["missing"] = d.missing[c];
    }
    nlohmann::json places = d.levels.empty() ? nlohmann::json(d.at) : nlohmann::json(d.levels);
    tree["dependence"].push_back({{"column", d.column}, {"at", std::move(places)}, {"curves", std::move(curves)}});
    if (d.dates) tree["dependence"].back()["dates"] = true;
  }
  return tree.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace bochner
