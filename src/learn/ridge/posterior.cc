// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/ridge/posterior.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/archive.h"
#include "maps/variance.h"
#include "random/elementary.h"

namespace bochner {

namespace {

constexpr double kLeastNoise = 0x1p-100;  // squared units: targets met to the last bit have some noise all the same

// log det (G + shift I) / shift
double log_volume(const Cholesky& factor, double shift) {
  const std::size_t D = factor.factor().size();
  double sum = 0;
  for (std::size_t j = 0; j < D; ++j) sum += 2 * portable_log(factor.factor().at(j, j));
  return sum - double(D) * portable_log(shift);
}

bool of_landmarks(const MapPtr& map) {
  if (!map) return false;
  const MapParts made_of = map->parts();
  if (made_of.how == MapParts::How::chain) return of_landmarks(made_of.maps.back());
  Archive archive;
  map->save(archive);
  return archive.get_text("type") == "nystroem";
}

}  // namespace

Evidence evidence(const NormalEquations& equations, const Cholesky& factor, const Coefficients& head, double lambda) {
  const GramFold& sums = equations.sums;
  const TargetCode& code = sums.code();
  const double n = equations.weight, free = std::max(n - (equations.intercept ? 1 : 0), 1e-6 * n);
  const bool likely = lambda > 0 && n == double(sums.rows());
  const double volume = likely ? log_volume(factor, lambda * n) : 0;
  Evidence found;
  for (std::size_t k = 0; k < head.weights.cols(); ++k) {
    double left = sums.target_sum(k, k) - n * equations.target_mean[k] * equations.target_mean[k];
    for (std::size_t j = 0; j < head.weights.rows(); ++j) left -= equations.moment(j, k) * head.weights(j, k);
    const double coded_noise = std::max(left / free, kLeastNoise);
    found.noise.push_back(coded_noise * code.unit[k] * code.unit[k]);  // the least units have a square of 0, and a log
    const double log_noise = portable_log(coded_noise) + 2 * portable_log(code.unit[k]);
    if (likely)
      found.likelihood.push_back(-0.5 * (free * (portable_log(2 * std::numbers::pi) + log_noise + 1) + volume));
  }
  return found;
}

Deviation posterior_deviation(const NormalEquations& equations, const Cholesky& factor, const Evidence& evidence,
                              double lambda, const MapPtr& map, Threads& threads) {
  VarianceForm form{.inputs = equations.feature_mean.size()};
  form.constant = equations.intercept ? 1 / equations.weight : 0;
  if (of_landmarks(map) && lambda > 0) {
    form.constant += 1 / (lambda * equations.weight);
    form.square = -1 / (lambda * equations.weight);
  }
  form.center = equations.feature_mean;
  form.lower = factor.inverse_factor(threads);
  Deviation deviation{variance_map(std::move(form)), {}, 0};
  for (const double noise : evidence.noise) deviation.targets.push_back({noise, noise});
  return deviation;
}

}  // namespace bochner
