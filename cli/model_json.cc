// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "model_json.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "bochner/factor.h"
#include "bochner/figures.h"
#include "bochner/in_units.h"
#include "bochner/json.h"

namespace bochner {

namespace {

template <class T>
nlohmann::json parsed(const T& thing) {
  return nlohmann::json::parse(json_text(thing));
}

constexpr std::size_t kMostShown = 200000;  // numbers of centres or loadings

// Centres or loadings by name, with a row of numbers each, one for every column.
nlohmann::json table_of(const Matrix<double>& values) {
  nlohmann::json rows = nlohmann::json::array();
  for (std::size_t k = 0; k < values.rows(); ++k)
    rows.push_back(std::vector<double>(&values(k, 0), &values(k, 0) + values.cols()));
  return rows;
}

}  // namespace

nlohmann::json model_json(const Model& model, const std::string& path) {
  nlohmann::json tree{{"model", path},
                      {"bytes", std::filesystem::file_size(path)},
                      {"map", model.map()->spec()},
                      {"feature_map", model.feature_map() ? parsed(*model.feature_map()) : nlohmann::json::object()},
                      {"outputs", model.outputs()},
                      {"precision", model.double_precision() ? "double" : "float"},
                      {"schema", parsed(model.schema())},
                      {"report", parsed(model.report())}};
  if (const std::optional<Factor> factor = factor_of(*model.head())) {
    tree["singular_values"] = factor->singular_values;
    tree["factor"] = {{"error", factor->error}, {"passes", factor->passes}, {"method", factor->method}};
  }
  for (const auto& [name, numbers] : figures_of(*model.head())) tree[name] = numbers;
  const auto add_table = [&](const char* name, const std::optional<Matrix<double>>& values) {
    if (!values || values->rows() * values->cols() > kMostShown) return;
    tree["columns"] = model.schema().input_names();
    tree[name] = table_of(*values);
  };
  add_table("centres", centres_of(model));
  add_table("loadings", loadings_of(model));
  return tree;
}

}  // namespace bochner
