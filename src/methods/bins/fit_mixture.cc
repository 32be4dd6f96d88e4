// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/bins/fit_mixture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/clock.h"
#include "base/require.h"
#include "folds/gram_and_held.h"
#include "learn/fit_memory.h"
#include "methods/bins/data.h"
#include "methods/bins/dense_block.h"

namespace bochner {

namespace {

// lambda / w of each part.
struct Penalties {
  double dense = 0, bins = 0;
};

template <class T>
class Mixing {
 public:
  Mixing(const Stream& dense, const Stream& bins, const Survey& survey, MixtureFit options)
      : dense_(dense),
        bins_(bins),
        options_(std::move(options)),
        data_(bins, survey, options_.bins.binning),
        held_(data_.targets, options_.bins.binning.seed),
        bound_(feature_bound(dense)) {
    options_.bins.budget = budget_of(options_.bins, bins.execution());
    require(data_.targets.total_weight() > 0, "train: the weights of all rows are zero");
    settle_lambda(options_.bins, data_.targets, survey);
  }

  Fitted run(const Survey& survey, const Stream* validation) {
    const GramAndHeld sums = summed(survey, validation != nullptr);
    Penalties at = given();
    if (can_hold_out() && (!validation || !options_.dense_weight)) choose_weights(sums, at);
    finish(NormalEquations(sums.gram, true), at, validation);
    return std::move(fitted_);
  }

  // What is open is chosen and goes into the options; the notes and times into the report.
  void choose(const Survey& survey, MixtureFit& options, Report& report) {
    const GramAndHeld sums = summed(survey, false);
    Penalties at = given();
    if (can_hold_out()) choose_weights(sums, at);
    options = options_;
    options.bins.search_scales = false;
    options.dense_weight = options_.bins_weight * at.bins / at.dense;
    report = std::move(fitted_.report);
  }

 private:
  Threads& threads() { return bins_.threads(); }
  void lap(const char* step) { fitted_.report.seconds.emplace_back(step, clock_.lap()); }
  Penalties given() const {
    const double lambda = options_.bins.fit.lambda;
    return {lambda / options_.dense_weight.value_or(1.0), lambda / options_.bins_weight};
  }
  bool can_hold_out() const { return !held_.rows.empty() && held_.rows.size() < data_.rows.rows; }

  // The sums of the dense features, after the bins' length scales are found.
  GramAndHeld summed(const Survey& survey, bool validation) {
    lap("pack");
    if (options_.bins.search_scales) {
      options_.bins.fit.checkpoint = bins_.execution().checkpoint;
      choose_scales(threads(), data_, options_.bins, fitted_.report);
      lap("scales");
    }
    share_memory(survey, validation);
    const double fraction = HeldOutTargets::fraction(data_.rows.rows);
    const GramFold::Products products =
        GramFold::products_for(dense_.map().get(), dense_.precision() == Precision::float64);
    GramAndHeld sums{GramFold(dense_.features(), bound_, data_.code, largest_weight(), products),
                     HeldOut(dense_.features(), dense_.schema().targets, fraction, options_.bins.binning.seed)};
    sums = dense_.fold(std::move(sums), "features");
    lap("gram");
    return sums;
  }

  // The sums, a copy without the rows held out, a factor and those rows stay; kept features save time.
  void share_memory(const Survey& survey, bool validation) {
    FitSize dense = fit_size(dense_, survey, data_.targets.outputs, validation);
    MemoryPlan beside;
    beside.add("sums", 3 * double(GramFold::bytes(dense.features)));
    const double held = HeldOutTargets::fraction(data_.rows.rows) * double(data_.rows.rows);
    beside.add("rows held out", (held + 6 * std::sqrt(held)) * double(dense.features) * dense.element());
    beside.add("mapped rows", mapped_memory(dense, options_.bins.budget.bytes));
    GridSize size = grid_size(data_, options_.bins, threads().count());
    size.bins = count_bins(threads(), data_.rows, options_.bins.binning);
    size.trials = true;
    const GridShares shares = plan_grid_fit(size, options_.bins.budget, beside, feature_bytes(dense, true));
    options_.bins.fit.memory = shares.columns;
    cache_.emplace(dense_, data_.rows.rows, std::max<std::size_t>(1, shares.wanted));
  }

  double largest_weight() const {
    float most = 1;
    for (const float w : data_.targets.weight) most = std::max(most, w);
    return double(most);
  }

  GridFit fit(const GridTargets& targets, DenseBlock& dense, const Penalties& at, const std::string& name, bool head) {
    GridFitOptions grids = options_.bins.fit;
    grids.lambda = at.bins;
    grids.checkpoint = bins_.execution().checkpoint;
    grids.step = name;
    grids.head = head;
    return fit_grids(threads(), data_.rows, targets, options_.bins.binning, grids, &dense);
  }

  void choose_weights(const GramAndHeld& sums, Penalties& at) {
    GramFold rest = sums.gram;
    rest.remove(dense_.workers(), sums.held.template block<T>());
    choose_weights(NormalEquations(rest, true), at);
    lap("weights");
  }

  // Scores a fit on the rows held out; walks downhill in what is open: the weights, lambda.
  void choose_weights(const NormalEquations& rest, Penalties& at) {
    const auto make_trial = [&](const Penalties& here, const std::string& name) {
      DenseBlock dense(*cache_, rest, held_.fitted, here.dense, bound_);
      if (dense.failed_column())
        return GridTrial{.loss = std::numeric_limits<double>::infinity(),
                         .sums = Scorer(data_.code.task, data_.targets.outputs)};
      return held_.judge(fit(held_.fitted, dense, here, name, false).state, GridLoss::squared, data_.code.task);
    };
    const auto trial_of = [&](const Penalties& here) {
      ++trials_;
      const std::size_t outputs = data_.targets.outputs;
      const std::string name = fmt::format("weights {} {}", here.dense, here.bins);
      const auto numbers = logged(bins_.execution().checkpoint, name, GridTrial::number_count(outputs), [&] {
        std::vector<double> made;
        make_trial(here, name).append_to(made);
        return made;
      });
      return GridTrial::from(data_.code.task, outputs, numbers.data());
    };
    GridTrial best = trial_of(at);
    struct Direction {
      bool dense, bins;
    };
    const bool open = !options_.dense_weight;
    std::vector<Direction> directions;
    if (open) directions.push_back({true, false});
    if (options_.bins.search_lambda) directions.push_back({!open, true});
    for (const double step : {16.0, 4.0}) {
      for (const Direction& along : directions) {
        for (const double factor : {1 / step, step}) {
          bool moved = false;
          for (int i = 0; i < kMostSteps; ++i) {
            const Penalties next{at.dense * (along.dense ? factor : 1), at.bins * (along.bins ? factor : 1)};
            const GridTrial trial = trial_of(next);
            if (trial.loss >= best.loss) break;
            best = trial;
            at = next;
            moved = true;
          }
          if (moved) break;  // the other side is uphill
        }
      }
    }
    Report& report = fitted_.report;
    report.score = best.score(data_.code);
    report.validation = "held out of the trials";
    if (open)
      report.notes.push_back(fmt::format("weights: the dense features {:.3g} times those of the bins, by {} trials",
                                         at.bins / at.dense, trials_));
  }

  void finish(const NormalEquations& equations, const Penalties& at, const Stream* validation) {
    Report& report = fitted_.report;
    DenseBlock dense(*cache_, equations, data_.targets, at.dense, bound_);
    if (const auto column = dense.failed_column())
      fail(Error::Kind::data,
           "mixture: the Gram matrix is not positive definite at feature {}; raise lambda (now {:g})", *column,
           at.dense / equations.weight);
    const GridFit grids = fit(data_.targets, dense, at, "sweeps", true);
    Coefficients head = dense.head();
    if (data_.code.task == Task::regression)
      for (std::size_t k = 0; k < head.intercept.size(); ++k) {  // the centre is in the grids' head
        for (std::size_t j = 0; j < head.weights.rows(); ++j) head.weights(j, k) *= data_.code.unit[k];
        head.intercept[k] *= data_.code.unit[k];
      }
    const auto after = [](const MapPtr& map, MapPtr last) { return map ? chain({map, std::move(last)}) : last; };
    fitted_.head = sum({after(bins_.map(), decoded(grids.head, data_.code)),
                        after(dense_.map(), linear(std::move(head.weights), std::move(head.intercept)))});
    lap("fit");
    if (validation) {
      report.score = score_on(*validation, fitted_.head, data_.code.task);
      report.validation = "validation file";
    }
    report.rows = data_.rows.rows;
    report.inputs = bins_.schema().inputs;
    report.features = grids.head->bins().outputs() + dense_.features();
    report.map = dense_.map()->spec() + " + " + grids.head->bins().spec();
    report.learner = "ridge";
    report.termination = Termination::fixed_steps;
    report.solver = fmt::format("{} rounds of {} features and {} grids", grids.loss.size(), dense_.features(),
                                grids.head->bins().grids());
    report.lambda = at.bins * options_.bins_weight / data_.targets.total_weight();
    report.part_weights = {options_.bins_weight, options_.bins_weight * at.bins / at.dense};  // as in the sum
    report.notes.push_back(cache_->text());
    report.notes.push_back(bins_text(*grids.head));
  }

  static constexpr int kMostSteps = 4;

  Clock clock_;
  const Stream &dense_, &bins_;
  MixtureFit options_;
  GridData<T> data_;
  HeldOutTargets held_;
  double bound_;
  std::optional<FeatureStore> cache_;
  Fitted fitted_;
  std::size_t trials_ = 0;
};

}  // namespace

Fitted fit_mixture(const Stream& dense, const Stream& bins, const Survey& survey, MixtureFit options,
                   const Stream* validation) {
  require(options.bins.fit.loss == GridLoss::squared, "mixture: dense features and bins have the learner ridge only");
  require(dense.map() != nullptr, "mixture: the dense part has no map");
  return bins.precision() == Precision::float32
             ? Mixing<float>(dense, bins, survey, std::move(options)).run(survey, validation)
             : Mixing<double>(dense, bins, survey, std::move(options)).run(survey, validation);
}

void choose_mixture(const Stream& dense, const Stream& bins, const Survey& survey, MixtureFit& options,
                    Report& report) {
  if (bins.precision() == Precision::float32)
    Mixing<float>(dense, bins, survey, options).choose(survey, options, report);
  else
    Mixing<double>(dense, bins, survey, options).choose(survey, options, report);
}

}  // namespace bochner
