// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/grids/scales.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include "base/require.h"
#include "learn/grids/samples.h"
#include "run/checkpoint.h"

namespace bochner {

namespace {

// A stage of the search: how many rows, how large a fit, how far the scales move.
struct Stage {
  std::size_t rows;
  std::size_t grids;
  int passes;
  double steep;                  // of the softened error: gentle slopes tell directions, steep ones the error itself
  std::vector<double> together;  // log2 factors tried on all scales at once
  std::vector<double> steps;     // of log2 scale one by one, a round each
  bool as_the_fit = false;       // the size of the fit itself: what small fits mistake is tried again
};

constexpr std::size_t kNoUnknown = ~std::size_t{0};
constexpr std::size_t kMostUnknowns = 40;  // a round tries each twice

// Which unknown scales which input. Indicators of a group share one, lonely indicators share one, constants have
// none. Where that makes too many, all numbers share one and all indicators another.
std::vector<std::size_t> unknown_of(std::span<const InputFacts> inputs, std::size_t& count) {
  std::map<std::uint32_t, std::size_t> members;
  for (const InputFacts& input : inputs)
    if (input.indicator) ++members[input.group];
  std::vector<std::size_t> unknown;
  for (const bool few : {false, true}) {
    std::map<std::uint64_t, std::size_t> known;
    unknown.clear();
    for (std::size_t j = 0; j < inputs.size(); ++j) {
      constexpr std::uint64_t kIndicators = ~std::uint64_t{0}, kGroup = std::uint64_t{1} << 40;
      if (inputs[j].spread <= 0) {
        unknown.push_back(kNoUnknown);
        continue;
      }
      std::uint64_t name = few ? 0 : j;
      if (inputs[j].indicator) name = few || members[inputs[j].group] == 1 ? kIndicators : kGroup + inputs[j].group;
      unknown.push_back(known.emplace(name, known.size()).first->second);
    }
    count = known.size();
    if (count <= kMostUnknowns) break;
  }
  return unknown;
}

}  // namespace

template <class T>
GridScaleSearch search_grid_scales(Threads& threads, const GridRows<T>& rows, const GridTargets& targets, Task task,
                                   std::span<const InputFacts> inputs, const BinningOptions& binning,
                                   const GridFitOptions& fit, bool fixed_lambda, const ProgressFunction& progress) {
  require(inputs.size() == rows.inputs, "scale search: facts of {} inputs, expected {}", inputs.size(), rows.inputs);
  std::size_t unknowns = 0;
  const std::vector<std::size_t> unknown = unknown_of(inputs, unknowns);
  const std::size_t q = unknowns + (fixed_lambda ? 0 : 1);  // the last is lambda

  const double n = double(rows.rows);
  const double held = std::min(0.2, 50000 / n);
  // A few passes tell one scale from another.
  const int few = fit.solver == GridSolver::conjugate ? 3 : 2;
  const std::size_t grids = std::min<std::size_t>(binning.grids, 50);
  const std::vector<Stage> stages{
      {30000, 12, few, 2, {-3, -2, -1, 0, 1, 2}, {1, 1, 1}},
      {100000, 16, few, 2, {0, 0.5}, {0.7, 0.7, 0.5}},
      {rows.rows, 20, few, 3, {0, 0.25, 0.5}, {0.5}},
      {rows.rows, grids, fit.passes, 12, {0.2, 0.45}, {}, true},
  };
  const GridSample<T> held_out(threads, rows, targets, binning.seed, 0, held);

  // x: log2 of one over each scale in spreads, and of lambda.
  std::vector<double> x(q, -1);
  std::vector<bool> is_indicator(unknowns);
  for (std::size_t j = 0; j < inputs.size(); ++j) {
    if (!inputs[j].indicator || unknown[j] == kNoUnknown) continue;
    is_indicator[unknown[j]] = true;
    x[unknown[j]] = 0;
  }
  const bool indicators = std::find(is_indicator.begin(), is_indicator.end(), true) != is_indicator.end();
  if (!fixed_lambda) x[unknowns] = std::log2(fit.lambda);
  const auto scales_at = [&](const std::vector<double>& at) {
    std::vector<double> scales(inputs.size());
    for (std::size_t j = 0; j < inputs.size(); ++j)
      scales[j] =
          unknown[j] == kNoUnknown ? 1 : (inputs[j].indicator ? 1 : inputs[j].spread) * std::exp2(-at[unknown[j]]);
    return scales;
  };

  GridScaleSearch found;
  std::size_t rounds = 0, round = 0;
  for (const Stage& stage : stages) rounds += stage.steps.size() + 1;
  for (const Stage& stage : stages) {
    const double share = std::min(1.0, held + double(stage.rows) / n);
    const GridSample<T> sample(threads, rows, targets, binning.seed, held, share);
    const auto binning_at = [&](const std::vector<double>& point) {
      BinningOptions here = binning;
      here.grids = stage.grids;
      here.min_rows = 1;
      here.max_bins = 0;
      here.length_scales = scales_at(point);
      return here;
    };
    const auto fit_at = [&](const std::vector<double>& point) {
      GridFitOptions here = fit;
      here.passes = stage.passes;
      if (!fixed_lambda) here.lambda = std::exp2(point[unknowns]);
      return here;
    };
    const auto try_all = [&](const std::vector<std::vector<double>>& points, bool same_scales) {
      std::vector<GridTrial> losses(points.size());
      std::unique_ptr<GridTrialFit<T>> shared;
      if (same_scales) shared = std::make_unique<GridTrialFit<T>>(threads, sample, held_out, binning_at(points[0]));
      threads.run(points.size(), [&](std::size_t i, int) {
        const GridFitOptions options = fit_at(points[i]);
        if (shared) {
          losses[i] = shared->judge(options, task, stage.steep, threads.stop());
          return;
        }
        Threads alone(1);
        alone.stop_when(threads.stop());
        losses[i] = GridTrialFit<T>(alone, sample, held_out, binning_at(points[i]))
                        .judge(options, task, stage.steep, threads.stop());
      });
      std::vector<double> numbers;
      for (const GridTrial& t : losses) t.append_to(numbers);
      return numbers;
    };
    const auto losses_at = [&](const std::vector<std::vector<double>>& points, bool same_scales = false) {
      const std::size_t each = GridTrial::number_count(targets.outputs);
      const std::vector<double> numbers =
          logged(fit.checkpoint, "scales", each * points.size(), [&] { return try_all(points, same_scales); });
      std::vector<GridTrial> losses;
      for (std::size_t i = 0; i < points.size(); ++i)
        losses.push_back(GridTrial::from(&numbers[each * i], targets.outputs));
      found.fits += points.size();
      if (progress) progress("scales", double(++round) / double(2 * rounds));
      return losses;
    };
    const auto take_best = [&](const std::vector<std::vector<double>>& points, bool same_scales = false) {
      const std::vector<GridTrial> losses = losses_at(points, same_scales);
      bool better = false;
      for (std::size_t i = 0; i < points.size(); ++i) {
        if (losses[i].loss >= found.best.loss) continue;
        found.best = losses[i];
        x = points[i];
        better = true;
      }
      return better;
    };

    // All scales of numbers together: the sample grew, or nothing is known yet.
    found.best.loss = std::numeric_limits<double>::infinity();
    std::vector<std::vector<double>> together;
    for (const double by : stage.together) {
      together.push_back(x);
      for (std::size_t u = 0; u < unknowns; ++u) together.back()[u] += by;
    }
    take_best(together);

    for (const double step : stage.steps) {
      std::vector<std::vector<double>> points;
      for (std::size_t u = 0; u < q; ++u) {
        for (const double by : {-step, step}) {
          points.push_back(x);
          points.back()[u] += by;
        }
      }
      const std::vector<GridTrial> losses = losses_at(points);
      // Along each scale the bottom of the parabola through three losses: noise then moves little what matters little.
      struct Move {
        std::size_t u;
        double by, gain;
      };
      std::vector<Move> moves;
      for (std::size_t u = 0; u < q; ++u) {
        const double down = losses[2 * u].loss - found.best.loss, up = losses[2 * u + 1].loss - found.best.loss;
        const double bend = down + up, reach = 1.5 * step;
        const double by = bend > 0    ? std::clamp(0.5 * step * (down - up) / bend, -reach, reach)
                          : down < up ? -step
                                      : step;
        moves.push_back({u, by, std::abs(down - up)});
      }
      std::stable_sort(moves.begin(), moves.end(), [](const Move& a, const Move& b) { return a.gain > b.gain; });
      // The strongest half of the moves, all of them, and all of them not as far or farther.
      points.assign(4, x);
      for (std::size_t m = 0; m < moves.size(); ++m) {
        if (2 * m < moves.size()) points[0][moves[m].u] += moves[m].by;
        points[1][moves[m].u] += moves[m].by;
        points[2][moves[m].u] += 0.5 * moves[m].by;
        points[3][moves[m].u] += 1.5 * moves[m].by;
      }
      take_best(points);
    }

    if (!stage.as_the_fit) continue;
    // Few grids must look at every indicator; the grids of the fit may leave most of them to others.
    if (indicators) {
      std::vector<std::vector<double>> points;
      for (const double looser : {1.5, 3.0}) {
        points.push_back(x);
        for (std::size_t u = 0; u < unknowns; ++u)
          if (is_indicator[u]) points.back()[u] = std::min(x[u], 0.0) - looser;
      }
      take_best(points);
    }
    // Few passes stop short of where a small lambda would fit noise.
    if (!fixed_lambda) {
      std::vector<std::vector<double>> points(2, x);
      points[0][unknowns] += 2;
      points[1][unknowns] += 4;
      take_best(points, true);
    }
  }
  found.length_scales = scales_at(x);
  found.lambda = fixed_lambda ? fit.lambda : std::exp2(x[unknowns]);
  return found;
}

template GridScaleSearch search_grid_scales(Threads&, const GridRows<float>&, const GridTargets&, Task,
                                            std::span<const InputFacts>, const BinningOptions&, const GridFitOptions&,
                                            bool, const ProgressFunction&);
template GridScaleSearch search_grid_scales(Threads&, const GridRows<double>&, const GridTargets&, Task,
                                            std::span<const InputFacts>, const BinningOptions&, const GridFitOptions&,
                                            bool, const ProgressFunction&);

}  // namespace bochner
