// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/grids/binning.h"

#include "base/clock.h"
#include "base/require.h"
#include "learn/grids/data.h"

namespace bochner {

namespace {

constexpr double kLambdaStep = 4;
constexpr int kMostSteps = 6;  // three decades and a half to either side

// Scores a fit of the scales given on rows held out; where lambda is open, walks downhill from the one in the options.
template <class T>
void choose_lambda(Threads& threads, const GridData<T>& data, BinningFit& options, Report& report) {
  const HeldOutTargets held(data.targets, options.binning.seed);
  if (held.rows.empty() || held.rows.size() == data.rows.rows) return;
  const std::size_t outputs = data.targets.outputs;
  const auto make_trial = [&](double lambda, const std::string& name) {
    GridFitOptions fit = options.fit;
    fit.lambda = lambda;
    fit.head = false;
    fit.step = name;
    const GridFit fitted = fit_grids(threads, data.rows, held.fitted, options.binning, fit);
    std::vector<double> numbers;
    held.judge(fitted.state, fit.loss, data.code.task).append_to(numbers);
    return numbers;
  };
  const auto trial_of = [&](double lambda) {
    const std::string name = fmt::format("lambda {}", lambda);
    const auto numbers = logged(options.fit.checkpoint, name, GridTrial::number_count(outputs),
                                [&] { return make_trial(lambda, name); });
    const GridTrial trial = GridTrial::from(numbers.data(), outputs);
    report.path.push_back({lambda / double(data.rows.rows), trial.score(data.code)});
    return trial;
  };
  GridTrial best = trial_of(options.fit.lambda);
  for (const double factor : {1 / kLambdaStep, kLambdaStep}) {
    if (!options.search_lambda) break;
    const double before = options.fit.lambda;
    for (int step = 0; step < kMostSteps; ++step) {
      const double lambda = options.fit.lambda * factor;
      const GridTrial trial = trial_of(lambda);
      if (trial.loss >= best.loss) break;
      best = trial;
      options.fit.lambda = lambda;
    }
    if (options.fit.lambda != before) break;  // the other side is uphill
  }
  report.score = best.score(data.code);
  report.validation = "held out of the trials";
}

template <class T>
Fitted fit_as(const Stream& stream, const Survey& survey, BinningFit options, const Stream* validation) {
  options.fit.checkpoint = stream.execution().checkpoint;
  options.room = room_of(options, stream.execution());
  Clock clock;
  Fitted fitted;
  Report& report = fitted.report;
  BinningOptions& binning = options.binning;
  const GridData<T> data(stream, survey, binning);
  require(options.fit.loss == GridLoss::squared || data.code.task == Task::classification,
          "binning: the logistic loss needs classes, the targets are numbers; use the squared loss");
  report.seconds.emplace_back("pack", clock.lap());

  if (options.search_scales) {
    choose_scales(stream.threads(), data, options, report);
    report.seconds.emplace_back("scales", clock.lap());
  }
  const bool trials = !options.search_scales && (!validation || options.search_lambda);
  GridSize size = grid_size(data, options, stream.threads().count());
  size.bins = count_bins(stream.threads(), data.rows, binning);
  size.trials = trials;
  options.fit.memory = plan_grid_fit(size, options.room).columns;
  if (trials) {
    choose_lambda(stream.threads(), data, options, report);
    report.seconds.emplace_back("trials", clock.lap());
  }

  const GridFit fit = fit_grids(stream.threads(), data.rows, data.targets, binning, options.fit);
  fitted.head = decoded(fit.head, data.code);
  report.seconds.emplace_back("fit", clock.lap());
  if (validation) {
    report.score = score_on(*validation, fitted.head, data.code.task);
    report.validation = "validation file";
  }
  report.rows = data.rows.rows;
  report.inputs = stream.schema().inputs;
  report.features = fit.head->bins().outputs();
  report.map = fit.head->bins().spec();
  report.learner = options.fit.loss == GridLoss::squared ? "ridge" : "logistic";
  report.solver =
      fmt::format("{} {} over {} grids", options.fit.passes,
                  options.fit.solver == GridSolver::sweeps ? "sweeps" : "steps of conjugate gradients", binning.grids);
  report.lambda = options.fit.lambda / double(std::max<std::size_t>(1, data.rows.rows));
  report.notes.push_back(bins_text(*fit.head));
  return fitted;
}

}  // namespace

Fitted fit_binning(const Stream& stream, const Survey& survey, BinningFit options, const Stream* validation) {
  return stream.precision() == Precision::float32 ? fit_as<float>(stream, survey, std::move(options), validation)
                                                  : fit_as<double>(stream, survey, std::move(options), validation);
}

}  // namespace bochner
