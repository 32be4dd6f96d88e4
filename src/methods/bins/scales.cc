// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/bins/scales.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "base/require.h"
#include "methods/bins/samples.h"
#include "random/hold_out.h"
#include "random/powers.h"
#include "run/checkpoint.h"

namespace bochner {

namespace {

// A stage of the search: how many rows, how large a fit, how far the scales move.
struct Stage {
  std::size_t rows;
  std::size_t grids;
  int passes;
  double steep;  // slope of the softened error: gentle ones tell directions, steep ones the error itself
  std::vector<double> together;  // log2 factors tried on all scales at once
  std::vector<double> steps;     // each is a round that moves log2 of the scales one by one
  int repeats = 1;               // searches from the same start with other draws: their mean is nearer than each
};

using Point = std::vector<double>;  // log2 of one over each scale in spreads, and of lambda where it is open

constexpr std::size_t kNoUnknown = ~std::size_t{0};
constexpr std::size_t kMostUnknowns = 40;  // a round tries each twice

// Which unknown scales which input. Indicators of a group share one, indicators without a group share one, constants
// have none. Where that makes too many, all numbers share one and all indicators another.
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

template <class T>
class ScaleSearch {
 public:
  ScaleSearch(Threads& threads, const GridScaleProblem<T>& problem)
      : threads_(threads),
        problem_(problem),
        unknown_(unknown_of(problem.inputs, unknowns_)),
        is_indicator_(unknowns_),
        x_(unknowns_ + (problem.fixed_lambda ? 0 : 1), -1) {
    const auto& inputs = problem.inputs;
    for (std::size_t j = 0; j < inputs.size(); ++j) {
      if (!inputs[j].indicator || unknown_[j] == kNoUnknown) continue;
      is_indicator_[unknown_[j]] = true;
      x_[unknown_[j]] = 0;
    }
    if (!problem.fixed_lambda) x_[unknowns_] = portable_log2(problem.fit.lambda);
  }

  GridScaleSearch run() {
    // A few passes tell one scale from another. A fit of many grids pays for a better search.
    const int few = problem_.fit.solver == GridSolver::conjugate ? 3 : 2;
    const int repeats = problem_.binning.grids >= kManyGrids ? kRepeats : 1;
    const std::vector<Stage> stages{
        {30000, 12, few, 2, {-3, -2, -1, 0, 1, 2}, {1, 1, 1}},
        {100000, 16, few, 2, {0, 0.5}, {0.7, 0.7, 0.5}},
        {problem_.rows.rows, 20, few, 3, {0, 0.25, 0.5}, {0.5}, repeats},
        {problem_.rows.rows,
         std::min(problem_.binning.grids, kSearchedGrids),
         problem_.fit.passes,
         12,
         {0.2, 0.45},
         {}},
    };
    for (const Stage& stage : stages) rounds_ += std::size_t(stage.repeats) * (1 + 2 * stage.steps.size());
    rounds_ += 2;
    for (const Stage& stage : stages) {
      const Point start = x_;
      Point sum(x_.size());
      for (int repeat = 0; repeat < stage.repeats; ++repeat) {
        x_ = start;
        begin(stage, repeat);
        try_together();
        for (const double step : stage.steps) move_each(step);
        for (std::size_t u = 0; u < x_.size(); ++u) sum[u] += x_[u];
      }
      for (std::size_t u = 0; u < x_.size(); ++u) x_[u] = sum[u] / stage.repeats;
    }
    correct_small_fits();
    found_.length_scales = scales_at(x_);
    found_.lambda = problem_.fixed_lambda ? problem_.fit.lambda : portable_exp2(x_[unknowns_]);
    return std::move(found_);
  }

 private:
  static constexpr std::size_t kManyGrids = 100;
  static constexpr int kRepeats = 3;

  std::vector<double> scales_at(const Point& at) const {
    std::vector<double> scales(problem_.inputs.size(), 1);
    for (std::size_t j = 0; j < problem_.inputs.size(); ++j)
      if (unknown_[j] != kNoUnknown)
        scales[j] = (problem_.inputs[j].indicator ? 1 : problem_.inputs[j].spread) * portable_exp2(-at[unknown_[j]]);
    return scales;
  }

  void begin(const Stage& stage, int repeat) {
    stage_ = &stage;
    seed_ = problem_.binning.seed + std::uint64_t(repeat) * 0x9e3779b97f4a7c15u;
    const double n = double(problem_.rows.rows), held = hold_out_fraction(n, kHeldOutShare, kMostHeldOut);
    held_out_.emplace(threads_, problem_.rows, problem_.targets, seed_, 0, held);
    sample_.emplace(threads_, problem_.rows, problem_.targets, seed_, held,
                    std::min(1.0, held + double(stage.rows) / n));
    found_.best.loss = std::numeric_limits<double>::infinity();
  }

  BinningOptions binning_at(const Point& point) const {
    BinningOptions here = problem_.binning;
    here.grids = stage_->grids;
    here.seed = seed_;
    here.min_rows = 1;
    here.max_bins = 0;
    here.length_scales = scales_at(point);
    return here;
  }

  GridFitOptions fit_at(const Point& point) const {
    GridFitOptions here = problem_.fit;
    here.passes = stage_->passes;
    if (!problem_.fixed_lambda) here.lambda = portable_exp2(point[unknowns_]);
    return here;
  }

  // A trial of each point, one thread each. Points of the same scales share their bins.
  std::vector<GridTrial> trials(const std::vector<Point>& points, bool same_scales) {
    const auto make = [&] {
      std::vector<GridTrial> found(points.size());
      std::optional<GridTrialFit<T>> shared;
      if (same_scales) shared.emplace(threads_, *sample_, *held_out_, binning_at(points[0]));
      threads_.run(points.size(), [&](std::size_t i, int) {
        std::optional<GridTrialFit<T>> own;
        if (!shared) {
          Threads alone(1);
          alone.stop_when(threads_.stop());
          own.emplace(alone, *sample_, *held_out_, binning_at(points[i]));
        }
        found[i] = (shared ? *shared : *own).judge(fit_at(points[i]), problem_.task, stage_->steep, threads_.stop());
      });
      std::vector<double> numbers;
      for (const GridTrial& trial : found) trial.append_to(numbers);
      return numbers;
    };
    const std::size_t each = GridTrial::number_count(problem_.targets.outputs);
    const std::vector<double> numbers = logged(problem_.fit.checkpoint, "scales", each * points.size(), make);
    std::vector<GridTrial> trials;
    for (std::size_t i = 0; i < points.size(); ++i)
      trials.push_back(GridTrial::from(problem_.task, problem_.targets.outputs, &numbers[each * i]));
    found_.fits += points.size();
    if (problem_.progress) problem_.progress("scales", double(++round_) / double(rounds_));
    return trials;
  }

  void take_best(const std::vector<Point>& points, bool same_scales = false) {
    const std::vector<GridTrial> tried = trials(points, same_scales);
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (tried[i].loss >= found_.best.loss) continue;
      found_.best = tried[i];
      x_ = points[i];
    }
  }

  // The sample grew, or nothing is known yet.
  void try_together() {
    std::vector<Point> points;
    for (const double by : stage_->together) {
      points.push_back(x_);
      for (std::size_t u = 0; u < unknowns_; ++u) points.back()[u] += by;
    }
    take_best(points);
  }

  // Moves each scale to the bottom of the parabola through three losses: noise then moves little what matters little.
  void move_each(double step) {
    std::vector<Point> points;
    for (std::size_t u = 0; u < x_.size(); ++u) {
      for (const double by : {-step, step}) {
        points.push_back(x_);
        points.back()[u] += by;
      }
    }
    const std::vector<GridTrial> tried = trials(points, false);
    struct Move {
      std::size_t u;
      double by, gain;
    };
    std::vector<Move> moves;
    for (std::size_t u = 0; u < x_.size(); ++u) {
      const double down = tried[2 * u].loss - found_.best.loss, up = tried[2 * u + 1].loss - found_.best.loss;
      const double bend = down + up, reach = 1.5 * step;
      const double by = bend > 0    ? std::clamp(0.5 * step * (down - up) / bend, -reach, reach)
                        : down < up ? -step
                                    : step;
      moves.push_back({u, by, std::abs(down - up)});
    }
    std::stable_sort(moves.begin(), moves.end(), [](const Move& a, const Move& b) { return a.gain > b.gain; });
    // The strongest half of the moves, all of them, and all of them not as far or farther.
    points.assign(4, x_);
    for (std::size_t m = 0; m < moves.size(); ++m) {
      if (2 * m < moves.size()) points[0][moves[m].u] += moves[m].by;
      points[1][moves[m].u] += moves[m].by;
      points[2][moves[m].u] += 0.5 * moves[m].by;
      points[3][moves[m].u] += 1.5 * moves[m].by;
    }
    take_best(points);
  }

  // Corrects, at the size of the fit itself, what smaller fits mistake: few grids must look at every indicator while
  // many may leave most of them to others, and few passes stop short of where a small lambda would fit noise.
  void correct_small_fits() {
    if (std::find(is_indicator_.begin(), is_indicator_.end(), true) != is_indicator_.end()) {
      std::vector<Point> points;
      for (const double looser : {1.5, 3.0}) {
        points.push_back(x_);
        for (std::size_t u = 0; u < unknowns_; ++u)
          if (is_indicator_[u]) points.back()[u] = std::min(x_[u], 0.0) - looser;
      }
      take_best(points);
    }
    if (problem_.fixed_lambda) return;
    std::vector<Point> points(2, x_);
    points[0][unknowns_] += 2;
    points[1][unknowns_] += 4;
    take_best(points, true);
  }

  Threads& threads_;
  const GridScaleProblem<T>& problem_;
  std::size_t unknowns_ = 0, rounds_ = 0, round_ = 0;
  std::vector<std::size_t> unknown_;  // which one scales an input
  std::vector<bool> is_indicator_;    // whether an unknown scales indicators
  Point x_;
  GridScaleSearch found_;

  // Those of the stage and its repeat.
  const Stage* stage_ = nullptr;
  std::uint64_t seed_ = 0;
  std::optional<GridSample<T>> sample_, held_out_;
};

}  // namespace

template <class T>
GridScaleSearch search_grid_scales(Threads& threads, const GridScaleProblem<T>& problem) {
  require(problem.inputs.size() == problem.rows.inputs, "scale search: facts of {} inputs, expected {}",
          problem.inputs.size(), problem.rows.inputs);
  return ScaleSearch<T>(threads, problem).run();
}

template GridScaleSearch search_grid_scales(Threads&, const GridScaleProblem<float>&);
template GridScaleSearch search_grid_scales(Threads&, const GridScaleProblem<double>&);

}  // namespace bochner
