// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "model/uncertainty_file.h"

#include <algorithm>
#include <cmath>

#include "base/archive.h"
#include "base/require.h"
#include "maps/load.h"

namespace bochner {

namespace {

constexpr std::size_t kMostTargets = 1 << 20;
constexpr double kUsualLevel = 0.9;

void put(Archive& archive, const std::string& name, const std::vector<double>& values) {
  archive.put<double>(name, values, {values.size()});
}

// An array of finite numbers.
std::vector<double> get(const Archive& archive, const std::string& name) {
  std::vector<double> values = archive.get<double>(name, {archive.length(name)});
  for (const double v : values)
    if (!std::isfinite(v))
      fail(Error::Kind::model, "{}: holds {}, expected finite numbers; the file is damaged", name, v);
  return values;
}

void check(bool holds, const char* what) {
  if (!holds) fail(Error::Kind::model, "{}; the file is damaged", what);
}

bool ascends(const std::vector<double>& values) { return std::is_sorted(values.begin(), values.end()); }
bool strictly_ascends(const std::vector<double>& values) {
  return std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end();
}

}  // namespace

void save_uncertainty(const std::optional<Calibration>& calibration, const std::optional<Intervals>& intervals,
                      Archive& model) {
  if (calibration) {
    Archive part;
    part.put_number("slope", calibration->slope);
    part.put_number("rows", calibration->rows);
    part.put_number("log_loss", calibration->log_loss);
    put(part, "shift", calibration->shift);
    put(part, "given", calibration->given);
    put(part, "calibrated", calibration->calibrated);
    model.put_child("calibration", std::move(part));
  }
  if (!intervals) return;
  Archive all;
  all.put_number("rows", intervals->rows);
  all.put_count("targets", intervals->targets.size());
  for (std::size_t k = 0; k < intervals->targets.size(); ++k) {
    Archive part;
    put(part, "predictions", intervals->targets[k].predictions);
    put(part, "spreads", intervals->targets[k].spreads);
    put(part, "residuals", intervals->targets[k].residuals);
    all.put_child(fmt::format("target{}", k), std::move(part));
  }
  model.put_child("intervals", std::move(all));
}

std::optional<Calibration> load_calibration(const Archive& model) {
  if (!model.tree.contains("calibration")) return std::nullopt;
  const Archive part = model.child("calibration");
  Calibration c{part.get_number("slope"), get(part, "shift"),      get(part, "given"),
                get(part, "calibrated"),  part.get_number("rows"), part.get_number("log_loss")};
  check(c.slope >= 0 && c.rows >= 0, "calibration: slope or rows below 0");
  check(!c.shift.empty() && c.given.size() == c.calibrated.size(), "calibration: arrays of unequal length");
  check(strictly_ascends(c.given) && ascends(c.calibrated), "calibration: a curve that falls");
  for (const double p : c.calibrated) check(p > 0 && p < 1, "calibration: a probability outside (0, 1)");
  return c;
}

std::optional<Intervals> load_intervals(const Archive& model) {
  if (!model.tree.contains("intervals")) return std::nullopt;
  const Archive all = model.child("intervals");
  Intervals intervals;
  intervals.rows = all.get_number("rows");
  const std::size_t count = all.get_count("targets", kMostTargets);
  check(intervals.rows >= 0, "intervals: rows below 0");
  for (std::size_t k = 0; k < count; ++k) {
    const Archive part = all.child(fmt::format("target{}", k));
    Intervals::Target t{get(part, "predictions"), get(part, "spreads"), get(part, "residuals")};
    check(t.predictions.size() == t.spreads.size() && strictly_ascends(t.predictions),
          "intervals: spreads out of order");
    check(!t.residuals.empty() && ascends(t.residuals), "intervals: residuals out of order");
    for (const double s : t.spreads) check(s > 0, "intervals: a spread that is not above 0");
    intervals.targets.push_back(std::move(t));
  }
  return intervals;
}

void save_deviation(const std::optional<Deviation>& deviation, Archive& model) {
  if (!deviation) return;
  Archive part, variance;
  std::vector<double> noise, scale;
  for (const Deviation::Target& t : deviation->targets) {
    noise.push_back(t.noise);
    scale.push_back(t.scale);
  }
  part.put_number("rows", deviation->rows);
  put(part, "noise", noise);
  put(part, "scale", scale);
  deviation->variance->save(variance);
  part.put_child("variance", std::move(variance));
  model.put_child("deviation", std::move(part));
}

std::optional<Deviation> load_deviation(const Archive& model) {
  if (!model.tree.contains("deviation")) return std::nullopt;
  const Archive part = model.child("deviation");
  const std::vector<double> noise = get(part, "noise"), scale = get(part, "scale");
  Deviation deviation{load_map(part.child("variance")), {}, part.get_number("rows")};
  check(deviation.rows >= 0 && noise.size() == scale.size(), "deviation: rows below 0, or arrays of unequal length");
  for (std::size_t k = 0; k < noise.size(); ++k) {
    check(noise[k] >= 0 && scale[k] >= 0, "deviation: noise or scale below 0");
    deviation.targets.push_back({noise[k], scale[k]});
  }
  return deviation;
}

IntervalCounts::IntervalCounts(const std::optional<Intervals>& intervals) {
  if (!intervals || intervals->greatest_level() < kUsualLevel) return;
  intervals_ = &*intervals;
  sums_.assign(intervals->targets.size(), {kUsualLevel, 0, 0});
}

void IntervalCounts::add(const double* prediction, const double* targets, double weight) {
  if (!intervals_) return;
  weight_ += weight;
  for (std::size_t k = 0; k < sums_.size(); ++k) {
    const auto [lower, upper] = intervals_->around(prediction[k], kUsualLevel, k);
    sums_[k].inside += weight * double(targets[k] >= lower && targets[k] <= upper);
    sums_[k].width += weight * (upper - lower);
  }
}

std::vector<Evaluation::Coverage> IntervalCounts::coverage() const {
  if (!(weight_ > 0)) return {};
  std::vector<Evaluation::Coverage> result = sums_;
  for (Evaluation::Coverage& c : result) {
    c.inside /= weight_;
    c.width /= weight_;
  }
  return result;
}

}  // namespace bochner
