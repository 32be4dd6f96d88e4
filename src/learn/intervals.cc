// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/intervals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/require.h"
#include "random/elementary.h"

namespace bochner {

namespace {

constexpr std::size_t kMostKept = 10000;  // residuals of a target
constexpr std::size_t kMostIntervalKnots = 12, kRowsPerKnot = 50, kLeastKnots = 3;
constexpr double kChoiceLevel = 0.9;
constexpr std::size_t kParts = 10;  // parts of the rows, each scaled by the spread of the others

struct Residual {
  double prediction, residual, weight;
};
using Residuals = std::vector<Residual>;

std::size_t knots_of(const Residuals& rows) { return std::min(kMostIntervalKnots, rows.size() / kRowsPerKnot); }

// The spread about predictions of a size: (mean |residual|^(1/2))^2 of rows with neighbouring predictions, which the
// largest of them move little, smoothed once.
void fit_spread(Residuals rows, std::size_t knots, Intervals::Target& target) {
  if (knots < kLeastKnots) return;
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Residual& a, const Residual& b) { return a.prediction < b.prediction; });
  std::vector<double> at, spread;
  double total = 0, total_weight = 0;
  for (std::size_t b = 0; b < knots; ++b) {
    double weight = 0, mean = 0, size = 0;
    for (std::size_t i = b * rows.size() / knots; i < (b + 1) * rows.size() / knots; ++i) {
      weight += rows[i].weight;
      mean += rows[i].weight * rows[i].prediction;
      size += rows[i].weight * std::sqrt(std::fabs(rows[i].residual));
    }
    total += size;
    total_weight += weight;
    if (!at.empty() && !(mean / weight > at.back())) continue;  // many equal predictions
    at.push_back(mean / weight);
    spread.push_back(size / weight * (size / weight));
  }
  const double least = 0.05 * (total / total_weight) * (total / total_weight);
  if (at.size() < kLeastKnots || !(least > 0)) return;
  for (std::size_t b = 0; b < at.size(); ++b) {
    const auto log_at = [&](std::size_t i) { return portable_log(std::max(least, spread[i])); };
    const double neighbours = log_at(b > 0 ? b - 1 : b) + log_at(std::min(b + 1, at.size() - 1));
    target.spreads.push_back(portable_exp(0.5 * log_at(b) + 0.25 * neighbours));
  }
  target.predictions = std::move(at);
}

// The residuals over the spread, with weights. Each is divided by a spread that others made: its own would make a large
// one smaller than those of new rows are.
std::vector<std::pair<double, double>> scaled_residuals(const Residuals& rows, const Intervals::Target& target) {
  std::vector<std::pair<double, double>> scaled;
  for (std::size_t part = 0; part < kParts; ++part) {
    Intervals::Target other = target;
    if (!target.spreads.empty()) {
      Residuals others;
      for (std::size_t i = 0; i < rows.size(); ++i)
        if (i % kParts != part) others.push_back(rows[i]);
      other = {};
      fit_spread(others, knots_of(rows), other);
      if (other.spreads.empty()) other = target;
    }
    for (std::size_t i = part; i < rows.size(); i += kParts)
      scaled.emplace_back(rows[i].residual / other.spread(rows[i].prediction), rows[i].weight);
  }
  return scaled;
}

// Those residuals, ascending, each of the same weight.
void keep_residuals(const Residuals& rows, Intervals::Target& target) {
  std::vector<std::pair<double, double>> scaled = scaled_residuals(rows, target);
  double total = 0;
  bool alike = true;
  for (const Residual& r : rows) {
    total += r.weight;
    alike = alike && r.weight == rows[0].weight;
  }
  std::sort(scaled.begin(), scaled.end());
  target.residuals.clear();
  if (alike && scaled.size() <= kMostKept) {
    for (const auto& [residual, weight] : scaled) target.residuals.push_back(residual);
    return;
  }
  const std::size_t count = std::min(kMostKept, scaled.size());
  double sum = 0;
  for (std::size_t i = 0; i < scaled.size() && target.residuals.size() < count; ++i) {
    sum += scaled[i].second;
    while (target.residuals.size() < count &&
           sum >= total * (double(target.residuals.size()) + 0.5) / double(count) * (1 - 1e-12))
      target.residuals.push_back(scaled[i].first);
  }
}

// Mean interval score (Gneiting & Raftery 2007): its width, and 2 / alpha times what lies outside.
double interval_score(const Intervals& learnt, const Residuals& rows) {
  double sum = 0;
  for (const Residual& r : rows) {
    const auto [lower, upper] = learnt.around(r.prediction, kChoiceLevel, 0);
    const double y = r.prediction + r.residual, out = std::max({lower - y, y - upper, 0.0});
    sum += r.weight * (upper - lower + 2 / (1 - kChoiceLevel) * out);
  }
  return sum;
}

Intervals::Target learn_target(const Residuals& rows) {
  double scores[2] = {0, 0};
  for (const std::size_t side : {0u, 1u}) {
    Residuals part, other;
    for (std::size_t i = 0; i < rows.size(); ++i) (i % 2 == side ? part : other).push_back(rows[i]);
    for (const int spread : {0, 1}) {
      Intervals learnt{{{}}, double(part.size())};
      if (spread) fit_spread(part, knots_of(part), learnt.targets[0]);
      if (part.empty()) continue;
      keep_residuals(part, learnt.targets[0]);
      if (learnt.greatest_level() >= kChoiceLevel) scores[spread] += interval_score(learnt, other);
    }
  }
  Intervals::Target target;
  if (scores[1] < scores[0]) fit_spread(rows, knots_of(rows), target);
  keep_residuals(rows, target);
  return target;
}

}  // namespace

double Intervals::Target::spread(double prediction) const {
  if (predictions.empty()) return 1;
  if (!(prediction > predictions.front())) return spreads.front();
  if (prediction >= predictions.back()) return spreads.back();
  const std::size_t right =
      std::size_t(std::upper_bound(predictions.begin(), predictions.end(), prediction) - predictions.begin());
  const double share = (prediction - predictions[right - 1]) / (predictions[right] - predictions[right - 1]);
  return spreads[right - 1] + share * (spreads[right] - spreads[right - 1]);
}

double Intervals::Target::root_mean_square() const {
  double most = 0, sum = 0;
  for (const double r : residuals) most = std::max(most, std::fabs(r));
  if (!(most > 0)) return 0;
  for (const double r : residuals) sum += (r / most) * (r / most);
  return most * std::sqrt(sum / double(residuals.size()));
}

double Intervals::greatest_level() const {
  double level = 1;
  for (const Target& t : targets) level = std::min(level, 1 - 2 / (double(t.residuals.size()) + 1));
  return std::max(level, 0.0);
}

// Adds, of n sorted residuals, those at place ceil((n + 1) (1 - alpha / 2)) from below and from above.
std::pair<double, double> Intervals::around(double prediction, double level, std::size_t target) const {
  require(target < targets.size(), "intervals: target {} of {}", target, targets.size());
  require(level > 0 && level <= greatest_level(),
          "intervals: level {}, expected above 0 and at most {:.4f}: they are from {:.0f} rows held out", level,
          greatest_level(), rows);
  const Target& t = targets[target];
  const std::size_t n = t.residuals.size();
  const auto place = std::size_t(std::ceil((double(n) + 1) * (0.5 + 0.5 * level) * (1 - 1e-12)));
  const std::size_t up = std::min(std::max<std::size_t>(place, 1), n) - 1;
  const double s = t.spread(prediction);
  return {prediction + s * t.residuals[n - 1 - up], prediction + s * t.residuals[up]};
}

std::string Intervals::text() const {
  const bool wider = std::any_of(targets.begin(), targets.end(), [](const Target& t) { return !t.spreads.empty(); });
  return fmt::format("from the residuals of {:.0f} rows held out{}", rows,
                     wider ? ", wider where predictions of that size err more" : "");
}

Intervals learn_intervals(MatrixView<const double> predictions, MatrixView<const double> targets,
                          std::span<const double> weights) {
  require(predictions.rows == targets.rows && predictions.cols == targets.cols &&
              (weights.empty() || weights.size() == targets.rows),
          "intervals: {} x {} predictions, {} x {} targets and {} weights, expected as many", predictions.rows,
          predictions.cols, targets.rows, targets.cols, weights.size());
  Intervals result;
  for (std::size_t k = 0; k < targets.cols; ++k) {
    Residuals rows;
    for (std::size_t i = 0; i < targets.rows; ++i) {
      const double weight = weights.empty() ? 1 : weights[i];
      if (weight > 0) rows.push_back({predictions(i, k), targets(i, k) - predictions(i, k), weight});
    }
    require(!rows.empty(), "intervals: there are no rows");
    result.rows = double(rows.size());
    result.targets.push_back(learn_target(rows));
  }
  return result;
}

}  // namespace bochner
