// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "choose/map_parts.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "choose/plan.h"

namespace bochner {

namespace {

PartPlan part_plan(const TrainOptions& whole, const MapPart& part) {
  PartPlan plan;
  plan.kind = &kind_of(part.map);
  plan.bandwidth = part.bandwidth.value_or(whole.bandwidth);
  plan.weight = part.weight;
  plan.request.options = part.map;
  plan.request.kernel = part.kernel.value_or(whole.kernel);
  plan.request.features = part.features ? part.features : whole.features;
  plan.request.seed = whole.seed;
  plan.request.double_precision = whole.double_precision;
  require(!part.weight || whole.map.parts.size() > 1,
          "map: found weight={}, expected several parts; leave the weight out", part.weight.value_or(0));
  require(!part.weight || (*part.weight > 0 && std::isfinite(*part.weight)),
          "map: found weight={}, expected a positive number", part.weight.value_or(0));
  return plan;
}

// Bins beside other features: what they do not say is theirs, not that of the whole.
void settle_mixed_bins(const TrainOptions& whole, const MapPart& part, PartPlan& plan) {
  plan.request.features = part.features;
  if (!part.bandwidth && plan.bandwidth != Bandwidth::Rule::searched_per_input)
    plan.bandwidth = Bandwidth::Rule::searched;
  // The kernel of a mixture is the Fourier part's; bins follow it only where they can.
  Binning& bins = std::get<Binning>(plan.request.options);
  if (!bins.law && bins.order_high == 0 && !part.kernel && whole.kernel.family != Kernel::Family::laplacian)
    bins.law.emplace().family = PitchLaw::Family::hat;
}

// Rows are compared as they are, each input divided by its length scale.
const MapKind& metric_kind() {
  static const MapKind kind{.name = "none",
                            .has_kernel = true,
                            .size =
                                [](const MapRequest& request) {
                                  return MapSize{
                                      .features = request.inputs, .step = 0, .trial_features = kSearchFeatures};
                                },
                            .make = [](const MapRequest& request) -> MapPtr {
                              std::vector<ColumnScaling> columns(request.inputs);
                              for (std::size_t j = 0; j < columns.size(); ++j) {
                                columns[j].method = ColumnScaling::Method::standardize;
                                columns[j].factor = 1 / request.kernel.length_scale(j);
                              }
                              return scaling(std::move(columns));
                            }};
  return kind;
}

// The one part of a learner that compares rows.
PartPlan metric_part(const TrainOptions& options) {
  const MapOptions& map = options.map;
  const bool none = map.parts.size() == 1 && std::holds_alternative<NoMap>(map.parts[0].map);
  require(
      none || map == MapOptions(),
      "map: found {} with the learner {}, which compares rows as they are; expected none, or a projection before it",
      map_words(map), learner_row(options.learner.learner).name);
  PartPlan part = part_plan(options, map.parts[0]);
  part.kind = &metric_kind();
  part.request.options = NoMap{};
  // One length scale for all inputs does not change which rows are near, and equal weights know no distance.
  if (options.learner.weighting == LearnerOptions::Weighting::equal && part.bandwidth == Bandwidth::Rule::searched)
    part.bandwidth = Bandwidth::Rule::median;
  return part;
}

}  // namespace

std::vector<PartPlan> map_parts(const TrainOptions& options) {
  if (learner_row(options.learner.learner).has_neighbors) return {metric_part(options)};
  const std::vector<MapPart>& given = options.map.parts;
  require(!given.empty(), "map: found no parts, expected at least one");
  std::vector<PartPlan> parts;
  for (const MapPart& part : given) parts.push_back(part_plan(options, part));
  if (parts.size() == 1) return parts;

  std::size_t sharing = 0, bins = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    require(!std::holds_alternative<NoMap>(given[i].map) && !parts[i].kind->learns_targets,
            "map: found {} in a mixture, expected fourier, nystroem or binning", parts[i].kind->name);
    if (parts[i].kind->learnt_with_head) {
      ++bins;
      settle_mixed_bins(options, given[i], parts[i]);
      continue;
    }
    sharing += given[i].features == 0;
    parts[i].request.seed += i * 0x9E3779B97F4A7C15u;  // parts of one law must not draw the same frequencies
  }
  require(bins <= 1, "map: found binning {} times, expected at most once in a mixture", bins);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].request.beside_bins = bins > 0;
    if (given[i].features == 0) parts[i].request.sharing = std::max<std::size_t>(1, sharing);
  }
  return parts;
}

std::vector<PartPlan> parts_before(const TrainOptions& options) {
  std::vector<PartPlan> parts;
  for (const MapPart& part : options.map.before) {
    const MapKind& kind = kind_of(part.map);
    require(!kind.has_kernel && !kind.learnt_with_head && !std::holds_alternative<NoMap>(part.map) && !part.weight &&
                !part.kernel && !part.bandwidth,
            "map: found {} before another map, expected a projection or a metric: project:kind=sign,dims=1000",
            kind.name);
    PartPlan& plan = parts.emplace_back();
    plan.kind = &kind;
    plan.request.options = part.map;
    plan.request.features = part.features;
    plan.request.kernel = options.kernel;
    plan.request.seed = options.seed + parts.size() * 0x9E3779B97F4A7C15u;  // not the draws of the map behind
    plan.request.double_precision = options.double_precision;
  }
  return parts;
}

std::size_t inputs_of_parts(const TrainOptions& options, std::size_t inputs) {
  for (PartPlan& part : parts_before(options)) {
    part.request.inputs = inputs;
    inputs = map_size(*part.kind, part.request).features;
  }
  return inputs;
}

const PartPlan* bins_of(const std::vector<PartPlan>& parts) {
  const auto found =
      std::find_if(parts.begin(), parts.end(), [](const PartPlan& part) { return part.kind->learnt_with_head; });
  return found == parts.end() ? nullptr : &*found;
}

bool has_bins(const MapOptions& map) {
  return std::any_of(map.parts.begin(), map.parts.end(),
                     [](const MapPart& part) { return kind_of(part.map).learnt_with_head; });
}

bool has_mixed_bins(const MapOptions& map) { return map.parts.size() > 1 && has_bins(map); }

const MapKind* kind_without_sums(const MapOptions& map) {
  for (const MapPart& part : map.parts)
    if (const MapKind& kind = kind_of(part.map); !kind.no_sums.empty()) return &kind;
  return nullptr;
}

}  // namespace bochner
