// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// What the options alone decide, before rows are seen: whether they make sense, and how large the map will be.

#include <algorithm>
#include <cmath>

#include "base/option.h"
#include "base/require.h"
#include "choose/learnt_with_head.h"
#include "choose/map_parts.h"
#include "choose/plan.h"
#include "choose/whitening.h"

namespace bochner {

namespace {

void check_bandwidth(const Bandwidth& bandwidth, std::size_t inputs) {
  if (bandwidth.rule != Bandwidth::Rule::given) return;
  const std::size_t count = bandwidth.length_scales.size();
  require(count > 0, "bandwidth: found no number, expected at least one");
  for (const double scale : bandwidth.length_scales)
    require(scale > 0 && std::isfinite(scale), "bandwidth: found {}, expected a positive number", scale);
  require(count == 1 || inputs == 0 || count == inputs, "bandwidth: found {} length scales for {} inputs", count,
          inputs);
}

}  // namespace

std::vector<PartPlan> chosen_parts(const TrainOptions& options, const Schema& schema) {
  std::vector<PartPlan> parts = map_parts(options);
  const bool named = options.map.before.empty();
  choose_columns(parts, inputs_of_parts(options, schema.inputs),
                 named ? schema.input_names() : std::vector<std::string>());
  return parts;
}

void check_options(const TrainOptions& options, std::size_t inputs) {
  require(options.budget >= 0 && std::isfinite(options.budget), "budget: found {}, expected a number of seconds",
          options.budget);
  require(options.automatic || options.optimize == Optimize(),
          "optimize: found with a named learner or map, whose loss says what is optimized; leave it out");
  require(!options.ridge.deviation || options.learner.learner == Learner::ridge,
          "{}: found with the learner {}, expected ridge or the automatic machine: others are no Gaussian process",
          Option::deviation, learner_row(options.learner.learner).name);
  require(!options.ridge.deviation || !has_bins(options.map),
          "{}: found with bins, expected dense features (fourier, nystroem, none) or the automatic machine",
          Option::deviation);
  const std::vector<PartPlan> parts = map_parts(options);
  for (PartPlan part : parts_before(options)) {
    part.request.inputs = inputs;
    if (part.kind->check) part.kind->check(part.request);
    inputs = map_size(*part.kind, part.request).features;
  }
  if (has_mixed_bins(options.map)) learnt_with_head().check_mixed(options, inputs);
  for (PartPlan part : parts) {
    part.request.inputs = inputs;
    if (part.kind->check) part.kind->check(part.request);
    if (part.kind->learnt_with_head) learnt_with_head().check(options, part, inputs);
    check_bandwidth(part.bandwidth, part.kind->has_kernel ? inputs : 0);
  }
}

MapSize map_size(const TrainOptions& options, const Schema& schema, std::uint64_t rows) {
  const std::size_t inputs = inputs_of_parts(options, schema.inputs);
  if (has_bins(options.map)) return {.features = inputs, .step = 0};
  std::vector<PartPlan> parts = chosen_parts(options, schema);
  MapSize whole{.bounded = true};
  std::size_t dense = 0;
  for (PartPlan& part : parts) {
    part.request.inputs = inputs;
    part.request.rows = rows;
    const MapSize size = map_size(*part.kind, part.request);
    whole.features += size.features;
    whole.step = parts.size() > 1 ? 0 : size.step;
    whole.weights = std::max(whole.weights, size.weights);
    whole.bounded = whole.bounded && size.bounded;
    whole.nonzeros += size.nonzeros;
    dense += size.nonzeros > 0 ? 0 : size.features;
  }
  if (whole.nonzeros > 0) whole.nonzeros += dense;  // the others' features are in every row
  std::size_t width = schema.inputs;
  for (PartPlan& part : parts_before(options)) {  // what they hold, as if it were the features'
    part.request.inputs = width;
    part.request.rows = rows;
    const MapSize size = map_size(*part.kind, part.request);
    width = size.features;
    whole.weights += size.weights * double(size.features) / double(std::max<std::size_t>(1, whole.features));
  }
  return whole;
}

std::size_t most_chosen_features(const TrainOptions& options, const Schema& schema, std::uint64_t rows) {
  constexpr std::size_t kMost = 1024;
  const std::vector<PartPlan> parts = map_parts(options);
  if (options.learner.learner != Learner::ridge || has_bins(options.map) || parts.size() != 1 || schema.sparse)
    return 0;
  if (parts[0].request.features || !std::holds_alternative<Fourier>(parts[0].request.options)) return 0;
  const std::size_t least = map_size(options, schema, rows).features, most = std::min<std::uint64_t>(kMost, rows);
  std::size_t found = least;
  while (2 * found <= most) found *= 2;
  return found > least ? found : 0;
}

double learning_bytes(const TrainOptions& options, const Schema& schema) {
  const auto whitens = [](const auto& input) { return input.second == ColumnScaling::Method::whiten; };
  double most = 0;
  if (options.scale == ColumnScaling::Method::whiten ||
      std::any_of(options.scale_inputs.begin(), options.scale_inputs.end(), whitens))
    most = whitening_bytes(Survey::most_sampled(schema), schema.inputs);
  std::size_t width = schema.inputs;
  std::vector<PartPlan> parts = parts_before(options);
  for (PartPlan& part : chosen_parts(options, schema)) parts.push_back(std::move(part));
  for (PartPlan& part : parts) {
    part.request.inputs = width;
    const MapSize size = map_size(*part.kind, part.request);
    most = std::max(most, size.working);
    width = std::max(width, size.features);
  }
  return most;
}

bool searches_bandwidth(const TrainOptions& options) {
  const std::vector<PartPlan> parts = map_parts(options);
  return std::any_of(parts.begin(), parts.end(),
                     [](const PartPlan& part) { return part.kind->has_kernel && part.bandwidth.searched(); });
}

void give_notice(const TrainOptions& options, const std::string& line) {
  if (options.notice)
    options.notice(line);
  else if (options.say)
    options.say(line);
}

std::vector<double> class_weights(const Schema& schema, const Survey& survey, const TrainOptions& options) {
  if (!options.balanced && options.class_weights.empty()) return {};
  require(schema.task == Task::classification, "class weights: the targets are numbers, not classes");
  std::vector<double> weights(schema.labels.size(), 1.0);
  if (options.balanced)
    for (std::size_t c = 0; c < weights.size(); ++c)
      weights[c] =
          double(survey.rows()) / (double(weights.size()) * double(std::max<std::uint64_t>(1, survey.class_rows()[c])));
  for (const auto& [label, weight] : options.class_weights) {
    const auto found = std::find(schema.labels.begin(), schema.labels.end(), label);
    require(found != schema.labels.end(), "class weights: there is no class \"{}\"", label);
    require(weight > 0 && std::isfinite(weight),
            "class weights: class \"{}\" has weight {}, expected a positive number", label, weight);
    weights[std::size_t(found - schema.labels.begin())] = weight;
  }
  return weights;
}

}  // namespace bochner
