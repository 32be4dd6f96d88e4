// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/anomaly/anomaly_scores.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "learn/ridge/ridge.h"
#include "methods/bins/binning_map.h"
#include "methods/bins/bins.h"
#include "methods/bins/draw_grid.h"
#include "methods/bins/grid_linear.h"
#include "methods/clusters/lloyd.h"
#include "random/draw.h"

namespace bochner {

namespace {

constexpr double kMostScores = 4 << 20;
constexpr double kUnseen = 0.5;  // rows of a bin that had none

template <class T>
MapPtr bins_score_as(const Stream& stream, const Survey& survey, const BinningOptions& options) {
  GridRows<T> rows;
  rows.groups = packing_groups(stream.features(), options);
  std::vector<float> weights;
  stream.each("bins", [&](const auto& any) {
    if constexpr (std::is_same_v<std::decay_t<decltype(any)>, RowBlock<T>>) {
      rows.add(stream.threads(), any);
      for (std::size_t i = 0; any.weights && i < any.rows; ++i) weights.push_back(float(any.weights[i]));
    }
  });
  double total = double(survey.rows());
  if (!weights.empty()) total = 0;
  for (const float w : weights) total += double(w);
  std::vector<OccupiedBins> occupied(options.grids);
  std::vector<BinScratch> scratch(std::size_t(stream.threads().count()));
  stream.threads().run(options.grids, [&](std::size_t g, int thread) {
    std::vector<std::uint32_t> columns(rows.rows);
    occupied[g] = occupy(rows, draw_grid<T>(rows.inputs, options, g), options, weights, scratch[std::size_t(thread)],
                         columns.data());
  });
  const double grids = double(options.grids);
  std::vector<std::vector<std::uint64_t>> hashes;
  std::vector<float> values;
  for (OccupiedBins& bins : occupied) {
    for (const float mass : bins.mass)
      values.push_back(float(std::log(kUnseen / std::max(double(mass), kUnseen)) / grids));
    hashes.push_back(std::move(bins.hashes));
  }
  auto map = std::make_shared<const BinningMap>(rows.inputs, options, std::move(hashes));
  return std::make_shared<GridLinear>(std::move(map), std::move(values),
                                      std::vector<double>{std::log(total / kUnseen)});
}

}  // namespace

MapPtr embedding_score(const Stream& stream, const Survey& survey) {
  const auto origin = std::make_shared<const Centres>(Matrix<double>(1, stream.features()));
  const LloydFold sum =
      stream.fold(LloydFold(origin, {.bound = feature_bound(stream), .weight_bound = survey.largest_weight()}), "mean");
  Matrix<double> weights(stream.features(), 1);
  const Matrix<double> total = sum.sums();
  const double weight = sum.weights()[0];
  for (std::size_t j = 0; j < stream.features(); ++j) weights(j, 0) = -total(0, j) / weight;
  return linear(std::move(weights), {1.0});
}

MapPtr bins_score(const Stream& stream, const Survey& survey, BinningOptions options) {
  const std::vector<std::string> names = stream.schema().input_names();
  if (options.groups.empty() && names.size() == stream.features()) options.groups = group_inputs(names);
  check_binning(stream.features(), options);
  return stream.precision() == Precision::float32 ? bins_score_as<float>(stream, survey, options)
                                                  : bins_score_as<double>(stream, survey, options);
}

double score_threshold(const Stream& scores, const Survey& survey, double rate, std::uint64_t seed) {
  const double share = kMostScores / double(survey.rows());
  std::vector<std::pair<double, double>> rows;  // score, weight
  double total = 0;
  scores.each("threshold", [&](const auto& block) {
    for (std::size_t i = 0; i < block.rows; ++i) {
      if (share < 1 && uniform(seed, Draw::sample, block.first + i) >= share) continue;
      rows.emplace_back(double(block.values[i * block.stride]), block.weights ? block.weights[i] : 1.0);
      total += rows.back().second;
    }
  });
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  // The largest score that rows may have without being too many above: down while those above are few enough.
  double above = 0;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t end = i;
    double equal = 0;
    while (end < rows.size() && rows[end].first == rows[i].first) equal += rows[end++].second;
    if (above + equal > rate * total) return rows[i].first;
    above += equal;
    i = end;
  }
  return rows.back().first;
}

}  // namespace bochner
