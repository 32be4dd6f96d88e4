// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/level_means.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "random/powers.h"

namespace bochner {

namespace {

constexpr double kIndicatorShare = 0.01;  // rows of a level that has an indicator of its own
constexpr std::size_t kMostLevelIndicators = 64;

float scaled(double value, double center, double factor) {
  const double v = (value - center) * factor;
  return float(v / std::sqrt(1 + v / kClip * (v / kClip)));
}

}  // namespace

LevelSums::LevelSums(std::size_t levels, std::size_t targets)
    : targets_(targets),
      weight_(levels + 1, 0.0),
      sum_((levels + 1) * targets, 0.0),
      squares_(targets, 0.0),
      mean_(targets, 0.0),
      shrink_(targets, std::numeric_limits<double>::infinity()) {}

void LevelSums::add(std::size_t level, const double* y, double weight) {
  weight_[level] += weight;
  for (std::size_t k = 0; k < targets_; ++k) {
    sum_[level * targets_ + k] += weight * y[k];
    if (level > 0) squares_[k] += weight * y[k] * y[k];
  }
}

void LevelSums::settle() {
  double all = weight_[0], known = 0, weight_squares = 0, used = 0;
  for (std::size_t l = 1; l < weight_.size(); ++l) {
    known += weight_[l];
    weight_squares += weight_[l] * weight_[l];
    used += weight_[l] > 0 ? 1 : 0;
  }
  all += known;
  for (std::size_t k = 0; k < targets_ && all > 0; ++k) {
    double total = 0, within = squares_[k], between = 0;
    for (std::size_t l = 0; l < weight_.size(); ++l) total += sum_[l * targets_ + k];
    mean_[k] = total / all;
    for (std::size_t l = 1; l < weight_.size(); ++l) {
      if (!(weight_[l] > 0)) continue;
      const double mean = sum_[l * targets_ + k] / weight_[l];
      within -= weight_[l] * mean * mean;
      between += weight_[l] * (mean - mean_[k]) * (mean - mean_[k]);
    }
    const double free_rows = known - used, spread = known - weight_squares / std::max(known, 1e-300);
    if (!(free_rows > 0) || !(spread > 0)) continue;
    const double sigma2 = std::max(within, 0.0) / free_rows, tau2 = (between - (used - 1) * sigma2) / spread;
    if (tau2 > 0) shrink_[k] = sigma2 / tau2;
  }
}

void LevelSums::values(std::size_t level, const double* less, double less_weight, double* out) const {
  const double weight = level > 0 ? std::max(0.0, weight_[level] - less_weight) : 0;
  for (std::size_t k = 0; k < targets_; ++k) {
    const double sum = sum_[level * targets_ + k] - (less ? less[k] : 0), shrink = shrink_[k];
    const bool tells = weight > 0 && std::isfinite(shrink);
    out[k] = tells ? (sum + shrink * mean_[k]) / (weight + shrink) : mean_[k];
  }
  out[targets_] = portable_log(1 + weight);
}

LevelColumn level_column(const LevelSums& sums, std::vector<std::size_t> told) {
  LevelColumn out;
  out.told = std::move(told);
  const std::size_t width = sums.width(), levels = sums.levels();
  Matrix<double> table(levels + 1, width);
  double all = 0;
  for (std::size_t l = 0; l <= levels; ++l) {
    sums.values(l, nullptr, 0, &table(l, 0));
    all += sums.weight(l);
  }
  for (std::size_t k = 0; k < width; ++k) {
    double mean = 0, squares = 0;
    for (std::size_t l = 0; l <= levels; ++l) mean += sums.weight(l) * table(l, k) / all;
    for (std::size_t l = 0; l <= levels; ++l)
      squares += sums.weight(l) * (table(l, k) - mean) * (table(l, k) - mean) / all;
    out.center.push_back(mean);
    out.factor.push_back(squares > 0 ? 1 / std::sqrt(squares) : 0);
  }
  TwofoldColumn& column = out.column;
  column.kind = TwofoldColumn::Kind::levels;
  column.width = width;
  for (std::size_t l = 0; l <= levels; ++l)
    for (std::size_t k = 0; k < width; ++k)
      column.values.push_back(double(scaled(table(l, k), out.center[k], out.factor[k])));
  while (column.indicators < std::min(levels, kMostLevelIndicators) &&
         sums.weight(column.indicators + 1) >= kIndicatorShare * all)
    ++column.indicators;
  return out;
}

void enter_levels(const LevelColumn& column, const LevelRows& rows, MatrixView<float> x) {
  const std::size_t n = rows.y.rows, targets = column.told.size(), width = targets + 1;
  LevelSums sums(column.column.values.size() / width - 1, targets);
  const auto weight = [&](std::size_t i) { return rows.weights.empty() ? 1.0 : rows.weights[i]; };
  const auto tells = [&](std::size_t i) { return rows.left_out.empty() || !rows.left_out[i]; };
  std::vector<double> y(targets), less(targets), values(width);
  const auto read = [&](std::size_t i) {
    for (std::size_t k = 0; k < targets; ++k) y[k] = rows.y(i, column.told[k]);
    return y.data();
  };
  for (std::size_t i = 0; i < n; ++i)
    if (tells(i)) sums.add(column.codes[i], read(i), weight(i));
  sums.settle();
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return column.codes[a] != column.codes[b] ? column.codes[a] < column.codes[b] : rows.parts[a] < rows.parts[b];
  });
  const auto alike = [&](std::uint32_t a, std::uint32_t b) {
    return column.codes[a] == column.codes[b] && rows.parts[a] == rows.parts[b];
  };
  const auto enter = [&](std::uint32_t row) {
    for (std::size_t k = 0; k < width; ++k)
      x(row, column.first + k) = scaled(values[k], column.center[k], column.factor[k]);
  };
  for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
    double less_weight = 0;
    std::fill(less.begin(), less.end(), 0.0);
    for (end = begin; end < n && alike(order[begin], order[end]); ++end) {
      if (!tells(order[end])) continue;
      less_weight += weight(order[end]);
      read(order[end]);
      for (std::size_t k = 0; k < targets; ++k) less[k] += weight(order[end]) * y[k];
    }
    const std::size_t level = column.codes[order[begin]];
    for (const bool own : {true, false}) {  // rows that tell, without their own part; and others, by all that tell
      sums.values(level, own ? less.data() : nullptr, own ? less_weight : 0, values.data());
      for (std::size_t p = begin; p < end; ++p)
        if (tells(order[p]) == own) enter(order[p]);
    }
  }
}

}  // namespace bochner
