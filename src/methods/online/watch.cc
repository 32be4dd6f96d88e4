// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/watch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/require.h"
#include "bochner/learner.h"
#include "learn/learn_on.h"
#include "methods/online/drift_bets.h"
#include "methods/online/judge.h"
#include "methods/online/state.h"
#include "methods/online/stream_memory.h"

namespace bochner {

namespace {

using OnAlarm = WatchOptions::OnAlarm;

// The model that is watched, and how it learns rows.
class Learning {
 public:
  virtual ~Learning() = default;
  virtual const Model& model() const = 0;
  virtual void learn(HeldBatch batch) = 0;
  virtual void forget_before(std::uint64_t row) = 0;
  virtual std::uint64_t kept() const = 0;
  virtual bool solves_each_look() const = 0;  // where no schedule is given; the model is then that of all rows kept
  // Learns the rows kept; none if they do not suffice.
  enum class When { due, alarm };
  virtual Watched::Change solve(When when) = 0;
};

constexpr std::uint64_t kLeastRows = 5;  // fewer train nothing

// Rows without which a model that keeps no sums learns nothing.
std::uint64_t least_rows(const Model& model, const WatchOptions& options) {
  const LearnsOn* const sort = options.retrain ? nullptr : learns_on(model);
  return sort && sort->least_rows ? std::max(kLeastRows, sort->least_rows(model)) : kLeastRows;
}

bool targets_differ(const HeldBatch& rows) {
  for (std::size_t i = 1; i < rows.y.rows(); ++i)
    if (rows.y(i, 0) != rows.y(0, 0)) return true;
  return false;
}

Extent span_of(const WatchOptions& options) { return options.half_life.any() ? options.half_life : options.window; }
std::size_t levels_of(const WatchOptions& options) {
  return options.half_life.any() ? WatchOptions::kHalvings : std::size_t(1);
}

class LearningBySums final : public Learning {
 public:
  LearningBySums(OnlineModel& model, const WatchOptions& options)
      : online_(model), options_(options), memory_(span_of(options), levels_of(options)) {
    if (holds_rows()) before_ = Part{{state().sum.gram, state().sum.class_rows}, {}, {}};
  }

  const Model& model() const override { return online_.model(); }
  std::uint64_t kept() const override { return online_.rows(); }
  bool solves_each_look() const override { return true; }

  void learn(HeldBatch batch) override {
    const Part part = part_of_rows(batch);
    if (holds_rows()) memory_.add(std::move(batch));  // refuses times that descend
    add(state().sum, part);
    memory_.age([&](const HeldBatch& rows, std::size_t from) {
      subtract(state().sum, part_of_rows(rows));
      if (from + 1 < memory_.levels()) add(state().sum, part_of_rows(memory_.rows(rows.first, rows.end(), from + 1)));
    });
    if (before_ && memory_.full()) {
      subtract(state().sum, *before_);
      before_.reset();
    }
    check_room(state().sum.gram);
    if (options_.on_alarm == OnAlarm::forget) newest_ = part;
  }

  void forget_before(std::uint64_t row) override {
    KeptSum fresh = state().sum.like();
    add(fresh, newest_);
    state().sum = std::move(fresh);
    memory_.drop_before(row);
    before_.reset();
  }

  Watched::Change solve(When when) override {
    if (when == When::alarm && options_.on_alarm == OnAlarm::rechoose) {
      const HeldBatch rows = memory_.rows();
      if (rows.x.rows() >= kLeastRows && targets_differ(rows)) {
        TrainOptions how = *options_.retrain;
        how.execution = options_.execution;
        online_ = train_online(*rows.read(), how);
        before_.reset();
        return Watched::Change::trained;
      }
    }
    const std::vector<std::uint64_t>& classes = state().sum.class_rows;
    const auto kinds = std::count_if(classes.begin(), classes.end(), [](std::uint64_t n) { return n > 0; });
    if (!classes.empty() && kinds < 2) return Watched::Change::none;
    state().model = solved_or_said(state(), options_.execution, "watch");
    return Watched::Change::solved;
  }

 private:
  OnlineModel::State& state() { return online_.state(); }
  bool holds_rows() const { return span_of(options_).any(); }
  Part part_of_rows(const HeldBatch& rows) {
    return part_of(state(), *rows.read(), options_.execution, nullptr, "watch");
  }

  OnlineModel& online_;
  const WatchOptions& options_;
  StreamMemory memory_;
  std::optional<Part> before_;  // the sums of the rows before the stream, until they leave
  Part newest_{{GramFold::like(online_.state().sum.gram), {}}, {}, {}};
};

// A model without sums learns on from the rows kept, or is trained anew by them, or stays as it is.
class LearningFromRows final : public Learning {
 public:
  LearningFromRows(Model& model, const WatchOptions& options, bool learns_on)
      : model_(model), options_(options), learns_on_(learns_on), memory_(span_of(options), levels_of(options)) {}

  const Model& model() const override { return model_; }
  std::uint64_t kept() const override { return learns() ? memory_.end() - memory_.begin() : 0; }
  bool solves_each_look() const override { return learns_on_ && !options_.retrain; }

  void learn(HeldBatch batch) override {
    if (!learns()) return;
    memory_.add(std::move(batch));
    memory_.age([](const HeldBatch&, std::size_t) {});
  }
  void forget_before(std::uint64_t row) override { memory_.drop_before(row); }

  // The rows before the stream are not here: what was learnt from them stays until the memory is full, or an alarm.
  Watched::Change solve(When when) override {
    if (!learns() || (when == When::due && !options_.retrain && !memory_.full())) return Watched::Change::none;
    const HeldBatch rows = memory_.rows();
    if (rows.x.rows() < least_rows(model_, options_) || (model_.puts_out().of_targets() && !targets_differ(rows)))
      return Watched::Change::none;
    if (!options_.retrain) {
      model_ = learnt_on(model_, *rows.read(), options_.execution);
      return Watched::Change::solved;
    }
    TrainOptions how = *options_.retrain;
    how.execution = options_.execution;
    model_ = train(*rows.read(), how);
    return Watched::Change::trained;
  }

 private:
  bool learns() const { return options_.retrain || learns_on_; }

  Model& model_;
  const WatchOptions& options_;
  bool learns_on_;
  StreamMemory memory_;
};

void check_watch(const WatchOptions& options, const Model& model, bool sums, bool learns_on) {
  const bool holds = span_of(options).any();
  require(options.level > 0 && options.level < 1, "watch: the level is {}, expected a number between 0 and 1",
          options.level);
  require(!options.window.any() || !options.half_life.any(),
          "watch: found a window and a half-life, expected one of them");
  for (const Extent& extent : {options.window, options.half_life}) {
    require(extent.rows == 0 || extent.days == 0, "watch: found rows and days, expected one of them");
    require(extent.days >= 0 && std::isfinite(extent.days), "watch: found {} days, expected a positive number",
            extent.days);
  }
  require(options.on_alarm != OnAlarm::rechoose || (options.retrain && holds),
          "watch: choices are made anew by rows and options, found no {}; give it",
          options.retrain ? "window or half-life, which keeps rows" : "way to train");
  if (options.retrain) {
    check_options(*options.retrain, model.schema().inputs);
    if (sums) check_online(*options.retrain);
    if (options.retrain->learner.learner != Learner::ridge) check_learner(model.schema(), options.retrain->learner);
  }
  const std::uint64_t least = !sums                                   ? least_rows(model, options)
                              : options.on_alarm == OnAlarm::rechoose ? kLeastRows
                                                                      : 1;
  require(options.window.rows == 0 || options.window.rows >= least,
          "watch: a window of {} rows teaches nothing, expected at least {}", options.window.rows, least);
  if (sums) return;
  require(!options.retrain || model.puts_out().of_targets(),
          "watch: a model of {} is not trained anew, it learns on; leave out how to train",
          outputs_name(model.puts_out().kind));
  require(!options.retrain || holds,
          "watch: a model without sums is trained anew on rows kept, found no window or half-life; give one");
  require(options.retrain || learns_on ||
              (!holds && options.solve_every.value_or(0) == 0 && options.on_alarm == OnAlarm::keep),
          "watch: the model keeps no sums and learns only by being trained anew, found no way to train; give it, or "
          "leave out the window, the schedule and what an alarm does");
}

}  // namespace

struct Watch::State {
  State(WatchOptions given, const Model& model) : options(std::move(given)), reference(model), bets(options.seed) {}

  Watched look(const HeldBatch& batch);
  void learn(HeldBatch batch, Watched& seen);

  WatchOptions options;
  std::unique_ptr<Learning> learning;
  Judge reference;
  DriftBets bets;
  std::uint64_t seen = 0, solved = 0, solve_every = 0;
  bool stale = false;
  double loss = 0, log_evidence = 0;
};

Watched Watch::State::look(const HeldBatch& batch) {
  require(!reference.needs_targets() || batch.y.cols() > 0,
          "watch: the rows have no target, expected it: rows are scored by it");
  const Judge current(learning->model());
  const Matrix<double> now = current.model().predict(*batch.read(), options.execution);
  const Matrix<double> then = reference.model().predict(*batch.read(), options.execution);
  Watched found;
  double total = 0;
  for (std::size_t i = 0; i < batch.x.rows(); ++i) {
    const double* const target = batch.y.cols() > 0 ? batch.y.view().row(i) : nullptr;
    total += current.row(now.view().row(i), target).loss;
    if (found.alarm) continue;  // the test goes on with another model
    log_evidence = bets.add(reference.row(then.view().row(i), target).score);
    if (log_evidence >= -std::log(options.level)) found.alarm = seen + i;
  }
  found.evidence = std::exp(log_evidence);
  if (found.alarm) bets.restart();
  loss += total;
  found.rows = seen + batch.x.rows();
  found.loss = total / double(batch.x.rows());
  found.mean_loss = loss / double(found.rows);
  return found;
}

void Watch::State::learn(HeldBatch batch, Watched& found) {
  learning->learn(std::move(batch));
  if (found.alarm && options.on_alarm == OnAlarm::forget) learning->forget_before(seen);
  stale = learning->solves_each_look();
  const bool due = solve_every > 0 && found.rows - solved >= solve_every;
  if (found.alarm || due) {
    found.change = learning->solve(found.alarm ? Learning::When::alarm : Learning::When::due);
    if (found.change != Watched::Change::none) {
      solved = found.rows;
      stale = false;
    }
  }
  seen = found.rows;
  found.kept = learning->kept();
  if (found.alarm) reference = Judge(learning->model());
}

Watch::Watch(OnlineModel& model, WatchOptions options)
    : state_(std::make_unique<State>(std::move(options), model.model())) {
  check_watch(state_->options, model.model(), true, false);
  require(model.ids().empty(), "watch: the model keeps marks of rows, expected one without");
  state_->learning = std::make_unique<LearningBySums>(model, state_->options);
  state_->solve_every = state_->options.solve_every.value_or(1);
}

Watch::Watch(Model& model, WatchOptions options) : state_(std::make_unique<State>(std::move(options), model)) {
  const bool able = learns_on(model), holds = span_of(state_->options).any();
  check_watch(state_->options, model, false, able && holds);
  auto learning = std::make_unique<LearningFromRows>(model, state_->options, able && holds);
  state_->solve_every = state_->options.solve_every.value_or(learning->solves_each_look() ? 1 : 0);
  state_->learning = std::move(learning);
}

Watch::Watch(Watch&&) noexcept = default;
Watch::~Watch() = default;

Watched Watch::see(Rows& rows, std::span<const double> times) {
  HeldBatch batch = HeldBatch::of(rows, times, state_->seen);
  Watched found = state_->look(batch);
  state_->learn(std::move(batch), found);
  return found;
}

void Watch::settle() {
  if (std::exchange(state_->stale, false)) state_->learning->solve(Learning::When::due);
}

}  // namespace bochner
