// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/deviation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bochner {

namespace {

// scale / noise in units of 1 / mean variance: 0, and from 1/100 to a million by quarters of a decade.
constexpr int kLeastRatio = -8, kGreatestRatio = 24, kRatiosPerDecade = 4;

}  // namespace

double Deviation::of(double v, std::size_t target) const {
  return std::sqrt(targets[target].noise + targets[target].scale * v);
}

std::string Deviation::text() const {
  if (rows > 0)
    return fmt::format("from the residuals of {:.0f} rows held out and the variance of a Gaussian process", rows);
  std::string noise;
  for (const Target& t : targets) noise += fmt::format("{}{:.4g}", noise.empty() ? "" : ", ", std::sqrt(t.noise));
  return "of a Gaussian process with noise of " + noise;
}

// For each ratio the likeliest noise is in closed form.
Deviation::Target likeliest_scales(std::span<const double> residuals, std::span<const double> variances,
                                   std::span<const double> weights) {
  const auto weight = [&](std::size_t i) { return weights.empty() ? 1.0 : weights[i]; };
  double total = 0, mean = 0, most = 0;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    total += weight(i);
    mean += weight(i) * variances[i];
    most = std::max(most, std::fabs(residuals[i]));
  }
  if (!(total > 0) || !(most > 0)) return {};
  mean /= total;
  Deviation::Target best;
  double least = 0;
  bool first = true;
  for (int step = kLeastRatio - 1; step <= kGreatestRatio && (first || mean > 0); ++step) {
    const double ratio = first ? 0 : std::pow(10.0, double(step) / kRatiosPerDecade) / mean;
    double noise = 0, logs = 0;
    for (std::size_t i = 0; i < residuals.size(); ++i) {
      const double shape = 1 + ratio * variances[i], r = residuals[i] / most;
      noise += weight(i) * r * r / shape;
      logs += weight(i) * std::log(shape);
    }
    const double loss = std::log(noise / total) + logs / total;
    if (first || loss < least) best = {noise / total * most * most, ratio * noise / total * most * most};
    if (first || loss < least) least = loss;
    first = false;
  }
  return best;
}

}  // namespace bochner
