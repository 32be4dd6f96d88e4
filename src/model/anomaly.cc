// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/anomaly.h"

#include <algorithm>

#include "base/require.h"
#include "bochner/figures.h"
#include "learn/anomaly.h"
#include "maps/threshold.h"
#include "model/mapped_rows.h"

namespace bochner {

namespace {

using Method = AnomalyOptions::Method;

constexpr std::size_t kGrids = 200, kMostInputs = 3;  // of a grid

bool has_map(const FeatureOptions& options) {
  return options.map.parts.size() != 1 || !std::holds_alternative<NoMap>(options.map.parts[0].map) ||
         !options.map.before.empty();
}

// How a row's density is found; each method leads from features to one number.
FeatureOptions features_of(const AnomalyOptions& options) {
  FeatureOptions features = options.features;
  if (options.method == Method::embedding && !has_map(features)) features.map = Fourier{};
  require(options.method == Method::embedding || !has_map(features),
          "map: found one, expected none: bins look at the inputs themselves");
  return features;
}

MapPtr score_of(const MappedRows& mapped, const AnomalyOptions& options) {
  if (options.method == Method::embedding) return embedding_score(mapped.stream(), mapped.survey());
  BinningOptions binning;
  binning.grids = options.features.features ? options.features.features : kGrids;
  binning.seed = options.features.seed;
  binning.order_low = 1;
  binning.order_high = std::min(kMostInputs, mapped.features());
  return bins_score(mapped.stream(), mapped.survey(), std::move(binning));
}

// The label of rows that are no anomalies; empty where there are no labels.
std::string normal_label(const Schema& schema, const Survey& survey, const std::string& given) {
  if (schema.targets == 0) {
    require(given.empty(), "normal: found '{}', expected a target whose label it is", given);
    return "";
  }
  require(schema.task == Task::classification && !schema.labels.empty(),
          "anomaly: the target holds numbers, expected labels; call it a classification, or ignore the column");
  const auto found = std::find(schema.labels.begin(), schema.labels.end(), given);
  require(given.empty() || found != schema.labels.end(), "normal: found '{}', which is no label of the target", given);
  if (!given.empty()) return given;
  const auto& rows = survey.class_rows();
  return schema.labels[std::size_t(std::max_element(rows.begin(), rows.end()) - rows.begin())];
}

}  // namespace

Model anomaly(Rows& rows, const AnomalyOptions& options) {
  require(options.rate > 0 && options.rate < 1, "rate: found {}, expected a share between 0 and 1", options.rate);
  MappedRows mapped(rows, features_of(options), "anomaly");
  Report report;
  report.learner = "anomaly";
  report.solver = options.method == Method::embedding ? "embedding" : "bins";
  const std::string normal = normal_label(mapped.schema(), mapped.survey(), options.normal);
  if (!normal.empty()) mapped.note(fmt::format("normal: rows of '{}', for eval", normal));
  const MapPtr score = score_of(mapped, options);
  const double value =
      score_threshold(mapped.stream().through(score), mapped.survey(), options.rate, options.features.seed);
  MapPtr head = measured(threshold(value, normal), {{"threshold", {value}}, {"rate", {options.rate}}});
  const auto targets = normal.empty() ? MappedRows::Targets::forgotten : MappedRows::Targets::kept;
  return std::move(mapped).model(std::move(head), std::move(report), {}, targets, {score});
}

}  // namespace bochner
