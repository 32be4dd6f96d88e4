// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "choose/feature_search.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "learn/descend.h"

namespace bochner {

namespace {

constexpr double kWorthTwice = 0.97;  // loss against that of half the features
constexpr int kMostOctaves = 6;
constexpr double kFirstLambda = 1e-5;

}  // namespace

FeatureSearch search_features(const SampleTrial& trial, const Kernel& kernel, const BandwidthSearch& found,
                              const FeatureRange& range,
                              const std::function<MapPtr(const Kernel&, std::size_t)>& make) {
  const auto scaled = [&](int octaves) {
    Kernel at = kernel;
    at.length_scales = found.length_scales;
    for (double& scale : at.length_scales) scale *= std::exp2(octaves);
    return at;
  };
  double lambda = found.lambda > 0 ? found.lambda : kFirstLambda;
  int best_step = 0;
  double best_loss = trial.hold_out(make(scaled(0), range.least), range.lambdas, lambda).loss;
  FeatureSearch best{range.least, range.least, found.length_scales};
  for (std::size_t features = 2 * range.least; features <= range.most; features *= 2) {
    std::map<int, SampleTrial::Result> tried;
    const auto loss = [&](int step) {
      if (!tried.contains(step)) {
        tried[step] = trial.hold_out(make(scaled(step), features), range.lambdas, lambda);
        lambda = tried[step].lambda;
      }
      return tried[step].loss;
    };
    int step = best_step;
    if (range.rule > 0) {
      step = descend_by(1, best_step, -kMostOctaves, kMostOctaves, loss);
      const int by_rule = int(std::lround(std::log2(range.rule / found.length_scales[0])));
      if (found.length_scales.size() == 1 && std::abs(by_rule) <= kMostOctaves) {
        const int other = descend_by(1, by_rule, -kMostOctaves, kMostOctaves, loss);
        if (loss(other) < loss(step)) step = other;
      }
    }
    best.tried = features;
    if (!(loss(step) < kWorthTwice * best_loss)) break;
    best_step = step;
    best_loss = loss(step);
    lambda = tried[step].lambda;
    best.features = features;
    best.length_scales = scaled(step).length_scales;
  }
  return best;
}

}  // namespace bochner
