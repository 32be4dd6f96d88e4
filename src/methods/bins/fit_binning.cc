// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/bins/fit_binning.h"

#include "base/clock.h"
#include "base/require.h"
#include "methods/bins/data.h"
#include "methods/bins/pursuit.h"

namespace bochner {

namespace {

constexpr double kLambdaStep = 4;
constexpr int kMostSteps = 6;        // three decades and a half to either side
constexpr double kCheapCells = 2e7;  // rows x grids x outputs: an epoch of dual coordinate descent takes half a second

// Fits that rows held out of them judge.
template <class T>
class Trials {
 public:
  Trials(Threads& threads, const GridData<T>& data, const BinningOptions& binning)
      : threads_(threads), data_(data), binning_(binning), held_(data.targets, binning.seed) {}

  bool able() const { return !held_.rows.empty() && held_.rows.size() < data_.rows.rows; }

  // The fit as it is; where lambda is open, walks downhill from the one in the options.
  GridTrial walk(GridFitOptions& fit, bool search, const std::string& name, std::vector<Report::PathPoint>* path) {
    const auto trial_of = [&](double lambda) {
      const GridTrial trial = at(fit, lambda, fmt::format("{} {}", name, lambda));
      if (path) path->push_back({lambda / data_.targets.total_weight(), trial.score(data_.code)});
      return trial;
    };
    GridTrial best = trial_of(fit.lambda);
    for (const double factor : {1 / kLambdaStep, kLambdaStep}) {
      if (!search) break;
      const double before = fit.lambda;
      for (int step = 0; step < kMostSteps; ++step) {
        const double lambda = fit.lambda * factor;
        const GridTrial trial = trial_of(lambda);
        if (trial.loss >= best.loss) break;
        best = trial;
        fit.lambda = lambda;
      }
      if (fit.lambda != before) break;  // the other side is uphill
    }
    return best;
  }

 private:
  GridTrial at(GridFitOptions fit, double lambda, const std::string& name) {
    fit.lambda = lambda;
    fit.head = false;
    fit.step = name;
    const std::size_t outputs = data_.targets.outputs;
    const auto numbers = logged(fit.checkpoint, name, GridTrial::number_count(outputs), [&] {
      std::vector<double> found;
      const GridFit fitted = fit_grids(threads_, data_.rows, held_.fitted, binning_, fit);
      held_.judge(fitted.state, fit.loss, data_.code.task).append_to(found);
      return found;
    });
    return GridTrial::from(data_.code.task, outputs, numbers.data());
  }

  Threads& threads_;
  const GridData<T>& data_;
  const BinningOptions& binning_;
  HeldOutTargets held_;
};

// Scores a fit of the scales given on rows held out, with the best lambda where that is open. A hinge begins at the
// best lambda of the squared loss, unless a search for scales found it, and stays there where its own fits are long;
// one that was given several lambdas does neither.
template <class T>
void choose_lambda(Threads& threads, const GridData<T>& data, BinningFit& options, bool scored, Report& report) {
  Trials<T> trials(threads, data, options.binning);
  if (!trials.able()) return;
  bool search = options.search_lambda;
  if (has_hinge(options.fit.loss)) {
    if (search && !options.search_scales && !options.given_start) {
      GridFitOptions squared = squared_fit(options);
      trials.walk(squared, true, "squared lambda", nullptr);
      options.fit.lambda = squared.lambda;
    }
    const double cells = double(data.rows.rows) * double(options.binning.grids) * double(data.targets.outputs);
    search = search && (cells <= kCheapCells || options.given_start);
    if (!search && scored) return;
  }
  const GridTrial best = trials.walk(options.fit, search, "lambda", &report.path);
  report.score = best.score(data.code);
  report.validation = "held out of the trials";
}

void describe_fit(const GridFit& fit, const BinningFit& options, double weight_unit, Report& report) {
  const char* passes = "sweeps";
  if (options.fit.solver == GridSolver::conjugate) passes = "steps of conjugate gradients";
  if (options.fit.solver == GridSolver::dual) passes = "epochs of dual coordinate descent";
  report.learner = "ridge";
  if (options.fit.loss == GridLoss::logistic) report.learner = "logistic";
  if (has_hinge(options.fit.loss)) report.learner = "svm";
  const bool dual = options.fit.solver == GridSolver::dual;
  report.solver =
      fmt::format("{} {} over {} grids", dual ? fit.epochs : options.fit.passes, passes, options.binning.grids);
  if (!dual) report.termination = Termination::fixed_steps;
  if (!dual) return;
  report.notes.push_back(fmt::format("C: {:.6g}", 1 / (options.fit.lambda * weight_unit)));
  report.notes.push_back(fmt::format("objective: {:.10g}, at most {:.1e} of it above the optimum; {} epochs",
                                     fit.objective, fit.objective > 0 ? fit.gap / fit.objective : 0.0, fit.epochs));
  if (!fit.converged) report.termination = Termination::step_limit;
  if (!fit.converged)
    report.notes.push_back(fmt::format(
        "not converged: {} epochs did not reach the tolerance {:g}; raise epochs=", fit.epochs, options.fit.tolerance));
}

template <class T>
Fitted fit_as(const Stream& stream, const Survey& survey, BinningFit options, const Stream* validation) {
  options.fit.checkpoint = stream.execution().checkpoint;
  options.budget = budget_of(options, stream.execution());
  Clock clock;
  Fitted fitted;
  Report& report = fitted.report;
  BinningOptions& binning = options.binning;
  const GridData<T> data(stream, survey, binning);
  require(options.fit.loss == GridLoss::squared || data.code.task == Task::classification,
          "binning: the logistic and hinge losses need classes, the targets are numbers; use the squared loss");
  require(data.targets.total_weight() > 0, "train: the weights of all rows are zero");
  settle_lambda(options, data.targets, survey);
  report.seconds.emplace_back("pack", clock.lap());

  if (options.search_scales) {
    choose_scales(stream.threads(), data, options, report);
    report.seconds.emplace_back("scales", clock.lap());
  }
  const bool trials = (has_hinge(options.fit.loss) || !options.search_scales) && (!validation || options.search_lambda);
  GridSize size = grid_size(data, options, stream.threads().count());
  size.bins = count_bins(stream.threads(), data.rows, binning);
  size.trials = trials;
  if (trials && options.fit.pursuit > 1) {
    const std::size_t draws = binning.grids * options.fit.pursuit;
    if (DrawnBins::worth_keeping(data.rows.rows, draws, options.budget.bytes)) {
      options.fit.drawn = std::make_shared<DrawnBins>(draws);
      size.drawn = double(DrawnBins::bytes(data.rows.rows, draws));
    }
  }
  options.fit.memory = plan_grid_fit(size, options.budget).columns;
  if (trials) {
    choose_lambda(stream.threads(), data, options, validation != nullptr, report);
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
  describe_fit(fit, options, survey.weight_unit(), report);
  report.lambda = options.fit.lambda / data.targets.total_weight();
  report.notes.push_back(bins_text(*fit.head));
  return fitted;
}

}  // namespace

void settle_lambda(BinningFit& options, const GridTargets& targets, const Survey& survey) {
  if (options.given == BinningFit::Given::per_row)
    options.fit.lambda *= targets.total_weight() / double(std::max<std::size_t>(1, targets.rows()));
  if (options.given == BinningFit::Given::cost) options.fit.lambda /= survey.weight_unit();
  options.given = BinningFit::Given::as_it_is;
}

Fitted fit_binning(const Stream& stream, const Survey& survey, BinningFit options, const Stream* validation) {
  return stream.precision() == Precision::float32 ? fit_as<float>(stream, survey, std::move(options), validation)
                                                  : fit_as<double>(stream, survey, std::move(options), validation);
}

}  // namespace bochner
