// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/anomaly.h"

#include <algorithm>

#include "base/require.h"
#include "bochner/figures.h"
#include "maps/threshold.h"
#include "methods/anomaly/anomaly_scores.h"
#include "methods/anomaly/isolation.h"
#include "methods/mixtures/fit.h"
#include "methods/mixtures/mixture_map.h"
#include "model/mapped_rows.h"

namespace bochner {

namespace {

using Method = AnomalyOptions::Method;

constexpr std::size_t kGrids = 200, kTrees = 100;
constexpr std::size_t kMostInputs = 3;  // inputs of a grid
constexpr std::size_t kSample = 20000;  // rows that trees are grown on and mixtures started on

bool has_map(const FeatureOptions& options) {
  return options.map.parts.size() != 1 || !std::holds_alternative<NoMap>(options.map.parts[0].map) ||
         !options.map.before.empty();
}

const char* name_of(Method method) {
  if (method == Method::bins) return "bins";
  if (method == Method::isolation) return "isolation";
  return method == Method::mixture ? "mixture" : "embedding";
}

// What each method starts from.
FeatureOptions features_of(const AnomalyOptions& options) {
  FeatureOptions features = options.features;
  const bool of_inputs = options.method == Method::bins || options.method == Method::isolation;
  require(!of_inputs || !has_map(features), "map: found one, expected none: {} looks at the inputs themselves",
          name_of(options.method));
  if (options.method == Method::embedding && !has_map(features)) features.map = Fourier{};
  const bool raw = options.method == Method::isolation || options.method == Method::mixture;
  if (raw && !features.scale) features.scale = ColumnScaling::Method::none;
  return features;
}

std::vector<double> sample_weights(const Survey& survey) {
  std::vector<double> weights;
  for (const Survey::SampledRow& row : survey.sample(kSample)) weights.push_back(row.weight);
  return weights;
}

MapPtr negated() {
  Matrix<double> minus(1, 1);
  minus(0, 0) = -1;
  return linear(std::move(minus), {0.0});
}

MapPtr mixture_score(MappedRows& mapped, const AnomalyOptions& options) {
  const MixtureSample sample{.x = mapped.sample(kSample), .classes = {}, .weights = sample_weights(mapped.survey())};
  MixtureOptions mixture{.components = options.components, .covariance = options.covariance};
  mixture.features.seed = options.features.seed;
  const FittedMixtures fitted =
      fit_mixtures(mapped.stream(), sample, mixture, [&](const std::string& text) { mapped.note(text); });
  return mixture_map({fitted.run.mixtures.of_group(0)}, {1.0}, MixtureOutput::density);
}

// Maps from the features to one number, larger where rows are rarer.
std::vector<MapPtr> score_of(MappedRows& mapped, const AnomalyOptions& options) {
  const std::size_t given = options.features.features;
  switch (options.method) {
    case Method::embedding:
      return {embedding_score(mapped.stream(), mapped.survey())};
    case Method::mixture:
      return {mixture_score(mapped, options), negated()};
    case Method::isolation:
      return {isolation_score(mapped.stream().workers(), mapped.sample(kSample), sample_weights(mapped.survey()),
                              {.trees = given ? given : kTrees, .seed = options.features.seed})};
    case Method::bins:
      break;
  }
  BinningOptions binning;
  binning.grids = given ? given : kGrids;
  binning.seed = options.features.seed;
  binning.order_low = 1;
  binning.order_high = std::min(kMostInputs, mapped.features());
  return {bins_score(mapped.stream(), mapped.survey(), std::move(binning))};
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

MapPtr judging(double value, double rate, const std::string& normal) {
  return measured(threshold(value, normal), {{"threshold", {value}}, {"rate", {rate}}});
}

// The threshold becomes that of the rows, and the mean of a score by the mean is theirs; other scores stay.
LearntOn learn_anomaly(const Model& from, const Stream& rows, const Survey& survey) {
  const std::vector<double> rate = figure_of(*from.head(), "rate");
  require(rate.size() == 1 && rate[0] > 0 && rate[0] < 1,
          "watch: the model does not say which share of rows is above its threshold; make it anew");
  LearntOn learnt{from.maps(), nullptr};
  if (from.report().solver == name_of(Method::embedding) && learnt.maps.size() > 1) {
    learnt.maps.pop_back();
    const Stream features = rows.through(chain(learnt.maps));
    learnt.maps.push_back(embedding_score(features, survey));
  }
  const double value = score_threshold(rows.through(chain(learnt.maps)), survey, rate[0], 0);
  learnt.head = judging(value, rate[0], threshold_of(*from.head())->normal);
  return learnt;
}

}  // namespace

const LearnsOn kAnomaliesLearnOn{
    .is = [](const Model& model) { return threshold_of(*model.head()) && !model.maps().empty(); },
    .learn = learn_anomaly,
    .strangeness = [](const double* score, std::size_t) { return score[0]; },
    .strange = "anomaly score"};

Model anomaly(Rows& rows, const AnomalyOptions& options) {
  require(options.rate > 0 && options.rate < 1, "rate: found {}, expected a share between 0 and 1", options.rate);
  // Cuts of isolation are floats.
  const bool cuts = options.method == AnomalyOptions::Method::isolation;
  MappedRows mapped(rows, features_of(options), "anomaly", cuts ? Saved::points : Saved::values);
  Report report;
  report.learner = "anomaly";
  report.solver = name_of(options.method);
  const std::string normal = normal_label(mapped.schema(), mapped.survey(), options.normal);
  if (!normal.empty()) mapped.note(fmt::format("normal: rows of '{}', for eval", normal));
  const std::vector<MapPtr> score = score_of(mapped, options);
  const double value =
      score_threshold(mapped.stream().through(chain(score)), mapped.survey(), options.rate, options.features.seed);
  MapPtr head = judging(value, options.rate, normal);
  const auto targets = normal.empty() ? MappedRows::Targets::forgotten : MappedRows::Targets::kept;
  return std::move(mapped).model(std::move(head), std::move(report), {}, targets, score);
}

}  // namespace bochner
