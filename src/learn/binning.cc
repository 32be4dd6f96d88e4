// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/binning.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/require.h"
#include "learn/grid_scales.h"
#include "learn/score.h"
#include "maps/draw_grid.h"

namespace bochner {

namespace {

// The packed rows of a stream and their coded targets.
template <class T>
struct Collected {
  GridRows<T> rows;
  GridTargets targets;

  Collected(const Stream& stream, const TargetCode& code, std::vector<std::uint32_t> groups) {
    rows.groups = std::move(groups);
    targets.outputs = code.columns();
    bool weighted = false;
    stream.each("bins", [&](const auto& any) {
      if constexpr (std::is_same_v<std::decay_t<decltype(any)>, RowBlock<T>>) {
        rows.add(stream.threads(), any);
        for (std::size_t i = 0; i < any.rows; ++i) {
          for (std::size_t k = 0; k < targets.outputs; ++k)
            targets.code.push_back(float(code.encode(any.targets + i * any.target_count, k)));
          targets.weight.push_back(any.weights ? float(any.weights[i]) : 1.0f);
          weighted |= targets.weight.back() != 1.0f;
        }
      }
    });
    if (!weighted) targets.weight.clear();
  }
};

// Spread of each input over a sample, and whether it is an indicator.
template <class T>
std::vector<InputFacts> input_facts(const GridRows<T>& rows, std::span<const std::uint32_t> groups) {
  std::vector<InputFacts> facts(rows.inputs);
  for (std::size_t j = 0; j < rows.inputs; ++j) facts[j].group = groups.empty() ? std::uint32_t(j) : groups[j];
  struct Sums {
    double rows = 0, sum = 0, squares = 0;
    T low = 0, high = 0;
    bool two = true;
    void add(T v, double count) {
      if (count == 0) return;
      if (rows == 0) low = high = v;
      if (v != low && v != high) {
        two &= low == high;
        low = std::min(low, v);
        high = std::max(high, v);
      }
      rows += count;
      sum += count * double(v);
      squares += count * double(v) * double(v);
    }
  };
  std::vector<Sums> sums(rows.inputs);
  std::vector<double> times;
  for (const PackedRows<T>& block : rows.blocks) {
    for (std::size_t k = 0; k < block.dense.size(); ++k)
      for (std::size_t i = 0; i < block.rows; ++i) sums[block.dense[k]].add(block.values[k * block.stride + i], 1);
    for (const auto& part : block.parts) {
      times.assign(part.codes.size(), 0);
      std::vector<double> rows_of(part.offsets.size() - 1);
      for (const std::uint32_t p : part.pattern) ++rows_of[p];
      for (std::size_t p = 0; p < rows_of.size(); ++p)
        for (std::size_t e = part.offsets[p]; e < part.offsets[p + 1]; ++e) times[part.entries[e]] += rows_of[p];
      std::vector<double> usual(part.inputs.size(), double(block.rows));
      for (std::size_t c = 0; c < part.codes.size(); ++c) {
        const auto at = std::lower_bound(part.inputs.begin(), part.inputs.end(), part.codes[c].input);
        usual[std::size_t(at - part.inputs.begin())] -= times[c];
        sums[part.codes[c].input].add(part.codes[c].value, times[c]);
      }
      for (std::size_t k = 0; k < part.inputs.size(); ++k) sums[part.inputs[k]].add(part.base[k], usual[k]);
    }
  }
  for (std::size_t j = 0; j < rows.inputs; ++j) {
    const Sums& s = sums[j];
    const double mean = s.rows > 0 ? s.sum / s.rows : 0;
    facts[j].spread = s.rows > 0 ? std::sqrt(std::max(0.0, s.squares / s.rows - mean * mean)) : 0;
    facts[j].indicator = s.two && s.high - s.low == 1;
  }
  return facts;
}

// Coefficients in the units of the targets.
std::shared_ptr<const GridLinear> decoded(const GridLinear& head, const TargetCode& code) {
  std::vector<float> values = head.values();
  std::vector<double> intercept = head.intercept();
  const std::size_t K = intercept.size();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = float(double(values[i]) * code.unit[i % K]);
  for (std::size_t k = 0; k < K; ++k) intercept[k] = intercept[k] * code.unit[k] + code.center[k];
  return std::make_shared<GridLinear>(head.bins_pointer(), std::move(values), std::move(intercept));
}

// The inputs of the shortest scales in their own spreads: those that matter most.
std::string scales_text(const std::vector<double>& scales, const std::vector<InputFacts>& facts,
                        const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 8;
  std::vector<std::size_t> order;
  for (std::size_t j = 0; j < scales.size(); ++j)
    if (facts[j].spread > 0) order.push_back(j);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return scales[a] / facts[a].spread < scales[b] / facts[b].spread;
  });
  std::string text;
  for (std::size_t i = 0; i < std::min(order.size(), kMost); ++i) {
    const std::size_t j = order[i];
    text += fmt::format("{}{} {:.3g}", i ? ", " : "", j < names.size() ? names[j] : fmt::format("x{}", j), scales[j]);
  }
  return text;
}

template <class T>
Fitted fit_as(const Stream& stream, const Survey& survey, BinningFit options, const Stream* validation) {
  Clock clock;
  Fitted fitted;
  Report& report = fitted.report;
  const std::vector<std::string> names = stream.schema().input_names();
  const bool named = names.size() == stream.features();
  BinningOptions& binning = options.binning;
  const std::vector<std::uint32_t> groups = named ? group_inputs(names) : std::vector<std::uint32_t>{};
  if (binning.order_high > 0 && binning.groups.empty()) binning.groups = groups;
  const TargetCode code = target_code(stream.schema(), survey, true);
  require(options.fit.loss == GridLoss::squared || code.task == Task::classification,
          "binning: the logistic loss needs classes, the targets are numbers; use the squared loss");
  const Collected<T> data(stream, code, packing_groups(stream.features(), binning));
  report.seconds.emplace_back("pack", clock.lap());

  if (options.search_scales) {
    const std::vector<InputFacts> facts = input_facts(data.rows, groups);
    const GridScaleSearch found = search_grid_scales(stream.threads(), data.rows, data.targets, code.task, facts,
                                                     binning, options.fit, !options.search_lambda);
    binning.length_scales = found.length_scales;
    options.fit.lambda = found.lambda;
    report.notes.push_back(
        fmt::format("bandwidth: one per input, by {} trials; shortest {}", found.fits,
                    scales_text(found.length_scales, facts, named ? names : std::vector<std::string>{})));
    Score score;
    score.rows = found.held_out;
    if (code.task == Task::classification)
      score.error = found.best.error;
    else
      score.r2 = 1 - found.best.unexplained;
    report.score = score;
    report.validation = "held out of the search";
    report.seconds.emplace_back("scales", clock.lap());
  }

  const GridFit fit = fit_grids(stream.threads(), data.rows, data.targets, binning, options.fit);
  fitted.head = code.task == Task::regression ? decoded(*fit.head, code) : fit.head;
  report.seconds.emplace_back("fit", clock.lap());
  if (validation) {
    Scorer scorer(code.task, fitted.head->outputs());
    std::vector<double> row(fitted.head->outputs());
    validation->through(fitted.head).each("validation", [&](const auto& block) {
      for (std::size_t i = 0; i < block.rows; ++i) {
        std::copy_n(block.values + i * block.stride, block.cols, row.begin());
        scorer.add(row.data(), block.targets + i * block.target_count, weight_of(block.weights, i));
      }
    });
    report.score = scorer.score();
    report.validation = "validation file";
  }
  report.rows = data.rows.rows;
  report.inputs = stream.schema().inputs;
  report.features = fit.head->bins().outputs();
  report.map = fit.head->bins().spec();
  report.learner = options.fit.loss == GridLoss::squared ? "ridge" : "logistic";
  report.solver = fmt::format("{} sweeps over {} grids", options.fit.sweeps, binning.grids);
  report.lambda = options.fit.lambda / double(std::max<std::size_t>(1, data.rows.rows));
  report.notes.push_back(fmt::format("{} bins, {:.0f} MB", report.features,
                                     double(report.features * (8 + 4 * fit.head->outputs())) / 1e6));
  return fitted;
}

}  // namespace

Fitted fit_binning(const Stream& stream, const Survey& survey, BinningFit options, const Stream* validation) {
  return stream.precision() == Precision::float32 ? fit_as<float>(stream, survey, std::move(options), validation)
                                                  : fit_as<double>(stream, survey, std::move(options), validation);
}

}  // namespace bochner
