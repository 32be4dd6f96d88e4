// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/bins/draw_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/require.h"
#include "methods/bins/pitch.h"
#include "random/draw.h"

namespace bochner {

namespace {

std::size_t group_count(std::size_t inputs, const BinningOptions& options) {
  return options.groups.empty() ? inputs : 1 + *std::max_element(options.groups.begin(), options.groups.end());
}

// The groups a grid looks at: order_low .. order_high of them, each set equally likely.
std::vector<bool> draw_subset(std::size_t groups, const BinningOptions& options, std::uint64_t index) {
  const std::size_t high = std::min(options.order_high, groups), low = std::min(options.order_low, high);
  const auto pick = [&](std::size_t k, std::size_t count) {
    return std::min(count - 1, std::size_t(uniform(options.seed, Draw::subset, index, k) * double(count)));
  };
  const std::size_t order = low + pick(0, high - low + 1);
  std::vector<std::size_t> all(groups);
  std::iota(all.begin(), all.end(), std::size_t(0));
  std::vector<bool> taken(groups);
  for (std::size_t k = 0; k < order; ++k) {
    std::swap(all[k], all[k + pick(k + 1, groups - k)]);
    taken[all[k]] = true;
  }
  return taken;
}

}  // namespace

void check_binning(std::size_t inputs, const BinningOptions& options) {
  require(inputs > 0, "binning map: no inputs, expected at least 1");
  require(options.grids > 0, "binning map: no grids, expected at least 1");
  require(options.length_scales.size() == 1 || options.length_scales.size() == inputs,
          "binning map: {} length scales, expected 1 or {}, one per input", options.length_scales.size(), inputs);
  for (const double scale : options.length_scales)
    require(scale > 0 && !std::isnan(scale), "binning map: length scale {}, expected a positive number", scale);
  require(options.groups.empty() || options.groups.size() == inputs,
          "binning map: {} groups, expected {}, one per input", options.groups.size(), inputs);
  for (const std::uint32_t group : options.groups)
    require(group < inputs, "binning map: group {}, expected a number below {}", group, inputs);
  require(options.order_low <= options.order_high && (options.order_low > 0 || options.order_high == 0),
          "binning map: order {}-{}, expected 1 <= low <= high, or 0-0 for all inputs", options.order_low,
          options.order_high);
  require(options.law.family != PitchLaw::Family::log_uniform ||
              (options.law.low > 0 && options.law.low < options.law.high && std::isfinite(options.law.high)),
          "binning map: pitches from {} to {}, expected 0 < low < high", options.law.low, options.law.high);
  require(options.law.family != PitchLaw::Family::table ||
              (!options.law.pitches.empty() && options.law.pitches.size() == options.law.cumulative.size()),
          "binning map: pitch table has {} pitches and {} probabilities, expected as many; use pitch_table()",
          options.law.pitches.size(), options.law.cumulative.size());
}

template <class T>
Grid<T> draw_grid(std::size_t inputs, const BinningOptions& options, std::uint64_t index) {
  std::vector<bool> taken;
  if (options.order_high > 0) taken = draw_subset(group_count(inputs, options), options, index);
  Grid<T> grid;
  grid.shift.resize(inputs);
  grid.per_pitch.resize(inputs);
  grid.low.resize(inputs);
  grid.high.resize(inputs);
  for (std::uint32_t j = 0; j < inputs; ++j) {
    if (!taken.empty() && !taken[options.groups.empty() ? j : options.groups[j]]) continue;
    const double scale = options.length_scales[options.length_scales.size() == 1 ? 0 : j];
    const double pitch = scale * draw_pitch(options.law, options.seed, index, j);
    grid.shift[j] = T(pitch * uniform(options.seed, Draw::shift, index, j));
    // Finite: an input that lies on the shift is in bin 0.
    grid.per_pitch[j] = T(std::min(1 / pitch, double(std::numeric_limits<T>::max())));
    // An input as wide as T can hold, or wider, has one bin.
    if (!(pitch < double(std::numeric_limits<T>::max()))) grid.shift[j] = grid.per_pitch[j] = 0;
    const std::uint64_t key = bits(options.seed, Draw::shift, index, j, 1);
    grid.low[j] = std::uint32_t(key) | 1;
    grid.high[j] = std::uint32_t(key >> 32) | 1;
    grid.inputs.push_back(j);
  }
  return grid;
}

template Grid<float> draw_grid(std::size_t, const BinningOptions&, std::uint64_t);
template Grid<double> draw_grid(std::size_t, const BinningOptions&, std::uint64_t);

std::vector<std::uint32_t> group_inputs(std::span<const std::string> names) {
  std::vector<std::uint32_t> groups;
  std::map<std::string, std::uint32_t> known;
  for (const std::string& name : names) {
    const auto equals = name.find('=');
    // A number's name stands for itself even where a category has the same name.
    std::string key = name.substr(0, equals);
    key.push_back(equals == std::string::npos ? '#' : '=');
    groups.push_back(known.emplace(key, std::uint32_t(known.size())).first->second);
  }
  return groups;
}

double binning_kernel(const BinningOptions& options, std::span<const double> x, std::span<const double> y) {
  require(x.size() == y.size(), "binning kernel: rows of {} and {} inputs, expected as many", x.size(), y.size());
  check_binning(x.size(), options);
  const std::size_t groups = group_count(x.size(), options);
  std::vector<double> k(groups, 1.0);
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double scale = options.length_scales[options.length_scales.size() == 1 ? 0 : j];
    k[options.groups.empty() ? j : options.groups[j]] *= pitch_kernel(options.law, std::abs(x[j] - y[j]) / scale);
  }
  if (options.order_high == 0) return std::accumulate(k.begin(), k.end(), 1.0, std::multiplies<>());
  // The mean product over all sets of m groups: elementary symmetric polynomials over binomials, kept as means.
  //   mean_m(k_1 .. k_g) = ((g - m) mean_m(k_1 .. k_{g-1}) + m k_g mean_{m-1}(k_1 .. k_{g-1})) / g
  const std::size_t high = std::min(options.order_high, groups), low = std::min(options.order_low, high);
  std::vector<double> mean(high + 1, 0.0);
  mean[0] = 1;
  for (std::size_t g = 1; g <= groups; ++g)
    for (std::size_t m = std::min(g, high); m > 0; --m)
      mean[m] = (double(g - m) * mean[m] + double(m) * k[g - 1] * mean[m - 1]) / double(g);
  double sum = 0;
  for (std::size_t m = low; m <= high; ++m) sum += mean[m];
  return sum / double(high - low + 1);
}

}  // namespace bochner
