// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/train.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/clock.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/require.h"
#include "bochner/map_kind.h"
#include "bochner/split.h"
#include "choose/column_notes.h"
#include "choose/learnt_with_head.h"
#include "choose/map_parts.h"
#include "choose/plan.h"
#include "choose/plan_memory.h"
#include "learn/learner.h"
#include "learn/nested.h"
#include "learn/ridge/solver_choice.h"
#include "learn/target_size.h"
#include "maps/held_features.h"
#include "model/background.h"
#include "model/calibrate_training.h"
#include "model/surveyed_rows.h"
#include "model/train_keeping.h"
#include "model/train_on_ranks.h"
#include "model/whole_training.h"
#include "rows/shard.h"
#include "rows/shifted.h"
#include "rows/weighted.h"
#include "run/checkpoint.h"
#include "run/stream.h"

namespace bochner {

namespace {

constexpr std::uint64_t kLeastRows = 5;

std::vector<std::string> joined(std::vector<std::string> first, const std::vector<std::string>& then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

// Whether the loss knows where the target has its zero.
bool keeps_zero(Learner learner) { return learner_row(learner).power != nullptr; }
bool keeps_zero(const TrainOptions& options) { return !options.automatic && keeps_zero(options.learner.learner); }

class Training {
 public:
  Training(Rows& rows, const TrainOptions& options, KeptFit* kept)
      : options_(options),
        kept_(kept),
        execution_(options.execution),
        threads_(options.execution),
        rows_(rows),
        looked_over_(rows, options.seed, precision(), threads_, execution_) {
    rows_.rewind();
    scanned_ = rows_.counts();  // before any pass: a resumed run makes fewer
    if (options.checkpoint.path.empty()) return;
    checkpoint_.emplace(options.checkpoint, [this](const std::string& line) { give_notice(options_, line); });
    execution_.checkpoint = &*checkpoint_;
    if (checkpoint_->resumed()) give_notice(options, "resumed from " + options.checkpoint.path);
  }

  Model run() {
    try {
      return trained();
    } catch (const Stopped&) {
      throw Stopped(checkpoint_ && checkpoint_->save_log());
    }
  }

 private:
  Model trained() {
    check_classes(schema(), {}, "train");
    require(!options_.calibrate || schema().task == Task::regression ||
                !learner_row(options_.learner.learner).has_neighbors,
            "calibrate: the shares of classes among neighbours are probabilities already; leave it out");
    require(!options_.calibrate || options_.learner.levels.empty(),
            "calibrate: several quantiles are intervals already; leave it out");
    require(!options_.ridge.deviation || schema().task == Task::regression,
            "{}: the target is a class, expected numbers; probabilities come with calibrate", Option::deviation);
    for (const std::string& note : rows_.notes()) give_notice(options_, note);
    keep_in_memory();
    Clock clock;
    looked_over_.look_over(checkpoint_ ? &*checkpoint_ : nullptr, saved_digits(options_));
    if (survey().rows() < kLeastRows)
      fail(Error::Kind::data, "train: found {} row{}, expected at least {}; nothing can be learnt from fewer",
           survey().rows(), survey().rows() == 1 ? "" : "s", kLeastRows);
    check_classes(schema(), survey().class_rows(), "train");
    if (schema().task == Task::regression) check_target_sizes();
    check_kin();
    if (survey().largest_weight() == 0)
      fail(Error::Kind::data, "train: every row has the weight 0, expected some above; check the column of weights");
    if (!planned_) plan_memory(survey().rows());
    if (options_.keep_background) background_ = background_of(survey());
    if (!keeps_zero(options_)) target_offsets_ = looked_over_.shift_targets();
    class_weights_ = class_weights(schema(), survey(), options_);
    looked_over_.weigh_classes(class_weights_);
    weight_unit_ = survey().usual_weight();
    looked_over_.choose_unit_of_weights();
    seconds_.emplace_back("survey", clock.lap());
    if (const WholeTraining fit_whole = whole_training(options_)) {
      const std::vector<std::string> odd = column_notes(schema(), survey());
      if (std::optional<Fitted> fitted = fit_whole(looked_over_.rows(), survey(), options_, threads_, execution_)) {
        conclude({}, fitted->report);
        add_steps({.notes = odd}, fitted->report);
        for (const std::string& note : odd) give_notice(options_, note);
        return finished({}, std::move(*fitted), false);
      }
    }

    Plan plan = make_plan(schema(), survey(), options_, threads_, execution_.checkpoint, PlanFor::training);
    seconds_.emplace_back("choices", clock.lap());
    looked_over_.forget_sample();
    release_freed_memory();

    const MapPtr map = plan.map();
    const Stream stream(looked_over_.rows(), map, threads_, execution_, precision());
    std::optional<Stream> validation;
    std::unique_ptr<Rows> shifted, less_targets;
    if (options_.validation)
      validation.emplace(with_target_offsets(with_offsets(*options_.validation, schema().offsets, shifted),
                                             target_offsets_, less_targets),
                         map, threads_, execution_, precision());
    const Stream* judge = validation ? &*validation : nullptr;
    Fitted fitted = plan.dense ? fit_mixed(plan, judge) : fit_head(stream, judge);
    release_freed_memory();  // a large model is copied when it is saved
    if (fitted.report.map.empty()) fitted.report.map = map ? map->spec() : "none";
    conclude(plan, fitted.report);
    add_steps(plan, fitted.report);
    return finished(std::move(plan.maps), std::move(fitted), options_.double_precision);
  }

  // The groups or times of the rows.
  void check_kin() const {
    const std::size_t rows = survey().rows();
    require(options_.groups.empty() || options_.groups.size() == rows,
            "groups: found {}, expected one for each of the {} rows", options_.groups.size(), rows);
    require(options_.times.empty() || options_.times.size() == rows,
            "times: found {}, expected one for each of the {} rows", options_.times.size(), rows);
    require(options_.times.empty() || options_.groups.empty(), "times: found groups too, expected one of them");
  }

  Model finished(std::vector<MapPtr> maps, Fitted fitted, bool in_double) const {
    if (bins_) maps.push_back(bins_);
    Model model(schema(), std::move(maps), fitted.head, std::move(fitted.report), in_double);
    model.set_calibration(std::move(fitted.calibration));
    model.set_intervals(std::move(fitted.intervals));
    model.set_deviation(std::move(fitted.deviation));
    model.set_background(background_);
    model.set_target_offsets(target_offsets_);
    return model;
  }

  // What the report says beside what the fit found, and what of it is said aloud.
  void conclude(const Plan& plan, Report& report) const {
    if (plan.nested && report.validation == "leave-one-out") {
      report.score = plan.nested;
      report.validation = nested_folds_text("length scales and lambda");
    }
    report.kernel = plan.kernel;
    report.bandwidth = plan.bandwidth;
    report.input_ranges = looked_over_.input_ranges();
    const LearnerRow& learner = learner_row(options_.learner.learner);
    if (learner.probabilities || learner.has_neighbors) report.class_weights = class_weights_;
    if (scanned_.cells > 0) report.missing_share = double(scanned_.missing) / double(scanned_.cells);
    if (options_.validation) report.validation = options_.validation_name;
    if (report.score && report.score->rows == 0) report.score.reset();  // too few rows to hold any out
    if (schema().task == Task::regression) {
      const std::vector<std::string> names = schema().target_names();
      for (std::size_t k = 0; k < survey().targets().size(); ++k) {
        const Survey::ColumnFacts& t = survey().targets()[k];
        const double offset = target_offsets_.empty() ? 0 : target_offsets_[k];
        report.target_ranges.emplace_back(t.min + offset, t.max + offset);
        if (t.min == t.max)
          give_notice(options_, report.notes.emplace_back(fmt::format(
                                    "warning: the target '{}' is {} in every row: there is nothing to learn", names[k],
                                    t.min + offset)));
      }
      // It depends on where the target has its zero, which the fit did not see.
      if (report.score && !target_offsets_.empty()) report.score->relative_error.reset();
    }
    if (!options_.say) return;
    for (const std::string& note : report.notes)
      if (!note.starts_with("solver: ") && !note.starts_with("forecast: ") && !note.starts_with("warning: "))
        options_.say(note);  // those were said when they were found
  }

  // What was found and done before the fit, which was said then.
  void add_steps(const Plan& plan, Report& report) const {
    report.notes = joined(rows_.notes(), joined(plan.notes, report.notes));
    report.seconds.insert(report.seconds.begin(), seconds_.begin(), seconds_.end());
  }

  const Schema& schema() const { return looked_over_.schema(); }
  const Survey& survey() const { return looked_over_.survey(); }
  void check_target_sizes() const {
    const std::vector<std::string> names = schema().target_names();
    for (std::size_t k = 0; k < names.size(); ++k) {
      const Survey::ColumnFacts& facts = survey().targets()[k];
      check_target_size(names[k], std::max(std::abs(facts.min), std::abs(facts.max)), precision());
    }
  }

  Precision precision() const { return options_.double_precision ? Precision::float64 : Precision::float32; }

  Fitted fit_head(const Stream& stream, const Stream* judge) {
    if (kept_) return fit_and_keep(stream, judge);
    if (has_bins(options_.map)) return fit_with_map(nullptr, stream, judge);
    return options_.learner.learner == Learner::ridge
               ? fit_ridge_by_choice(stream, survey(), options_.ridge, judge, options_.say)
               : fit_learner(stream, survey(), learner_options(), judge, options_.say);
  }

  // Ridge by Cholesky, whose sums stay.
  Fitted fit_and_keep(const Stream& stream, const Stream* judge) {
    require(stream.map() || !schema().sparse,
            "keep_sum: the rows are sparse and go into the sums as they are, expected a map; choose one");
    kept_->class_weights = class_weights_;
    kept_->weight_unit = weight_unit_;
    kept_->class_rows = survey().class_rows();
    if (!has_bins(options_.map)) return fit_ridge(stream, survey(), options_.ridge, judge, &kept_->gram);
    bins_ = held_features(*fit_with_map(nullptr, stream, judge).head);
    check_bins_to_keep(*bins_);
    plan_solve_memory(bins_->outputs(), std::max(schema().targets, schema().labels.size()), threads_.count(),
                      execution_, {});
    std::optional<Stream> judged;
    if (judge) judged.emplace(judge->through(bins_));
    Fitted fitted =
        fit_ridge(stream.through(bins_), survey(), options_.ridge, judged ? &*judged : nullptr, &kept_->gram);
    fitted.report.map = bins_->spec();
    return fitted;
  }

  // Rows are compared by the kernel of the training; its length scales are those that the inputs were divided by.
  LearnerOptions learner_options() const {
    LearnerOptions learner = options_.learner;
    if (!learner_row(learner.learner).has_neighbors) return learner;
    learner.kernel = map_parts(options_)[0].request.kernel;
    learner.kernel.length_scales = {1.0};
    return learner;
  }

  Fitted fit_mixed(const Plan& plan, const Stream* judge) {
    const Stream dense(looked_over_.rows(), plan.dense, threads_, execution_, precision());
    const Stream bins(looked_over_.rows(), plan.bins_scaling, threads_, execution_, precision());
    return fit_with_map(&dense, bins, judge);
  }

  Fitted fit_with_map(const Stream* dense, const Stream& rows, const Stream* judge) const {
    return learnt_with_head().fit({dense, rows, survey(), options_, memory_, judge});
  }

  void plan_memory(std::size_t n) {
    memory_ = plan_training_memory(rows_, n, options_, threads_.count());
    execution_.memory = memory_.for_fit;
    planned_ = true;
  }

  // Several passes over rows that fit are best made in memory.
  void keep_in_memory() {
    Clock clock;
    if (const auto n = rows_.size())
      plan_memory(*n);
    else
      check_survey_memory(schema(), threads_.count(), execution_);
    if (!memory_.keep_rows) return;
    looked_over_.keep_in_memory();
    seconds_.emplace_back("read", clock.lap());
  }

  const TrainOptions& options_;
  KeptFit* kept_;  // null: sums need not stay
  std::optional<Checkpoint> checkpoint_;
  Execution execution_;
  Threads threads_;
  Rows& rows_;
  SurveyedRows looked_over_;
  std::vector<double> target_offsets_, class_weights_;
  std::optional<Background> background_;
  MapPtr bins_;  // those whose sums stay; null: none
  double weight_unit_ = 1;
  TrainingMemory memory_;
  bool planned_ = false;
  CellCounts scanned_;
  std::vector<std::pair<std::string, double>> seconds_;
};

}  // namespace

namespace {

// Leave-one-out knows a row by heart that stands in the file twice. More rows are not asked again.
std::string repeated_warning(Rows& rows) {
  constexpr std::size_t kMostAsked = 100000;
  const std::size_t n = rows.size().value_or(kMostAsked + 1);
  if (n > kMostAsked) return "";
  return repeated_rows(rows, n, [](std::uint64_t row) { return row; }).warning();
}

// What the score leaves to say, last.
void judge(Model& model, const TrainOptions& options, const std::string& repeated) {
  Report report = model.report();
  const std::size_t before = report.notes.size();
  if (report.score && !report.score->hint().empty()) report.notes.push_back(report.score->hint());
  if (!repeated.empty()) give_notice(options, "warning: " + repeated);  // not kept: nobody looks if nobody hears
  if (report.score && !report.warning(*report.score).empty())
    report.notes.push_back("warning: " + report.warning(*report.score));
  for (std::size_t i = before; i < report.notes.size(); ++i) give_notice(options, report.notes[i]);
  if (report.notes.size() > before) model.set_report(std::move(report));
}

}  // namespace

Model train(Rows& rows) { return train(rows, {.automatic = Effort::normal}); }

Model train(Rows& rows, const TrainOptions& options) { return train_keeping(rows, options, nullptr); }

Model train_keeping(Rows& rows, const TrainOptions& given, KeptFit* kept) {
  if (std::optional<Model> model = train_gathered(rows, given)) return std::move(*model);
  const TrainOptions options = learnt_on_ranks(given);
  std::unique_ptr<Rows> owner;
  Rows& numbered = numbered_from_0(rows, owner);
  Model model = Training(numbered, options, kept).run();
  const bool own_rows = !options.validation && model.report().learner != "automatic";  // chose by leaving rows out
  const bool alike = options.groups.empty() && options.times.empty();                  // rows are independent
  if (own_rows && !alike) score_by_groups(model, numbered, options);
  if (options.calibrate && !model.calibration() && !model.intervals()) calibrate_training(model, numbered, options);
  const bool heard = options.say || options.notice;
  const bool asks = own_rows && heard && alike && model.report().score;
  judge(model, options, asks ? repeated_warning(numbered) : "");
  return model;
}

namespace {

template <class Fit>
Model fit_on(Rows& given, MapPtr map, Learner learner, std::uint64_t seed, const Execution& execution, const Fit& fit) {
  std::unique_ptr<Rows> owner;
  Rows& rows = numbered_from_0(given, owner);
  Threads threads(execution);
  Survey survey = Stream(rows, nullptr, threads, execution).fold(Survey(rows.schema(), seed), "survey");
  check_classes(rows.schema(), survey.class_rows(), "fit");
  const double unit = survey.usual_weight();
  const std::unique_ptr<Rows> in_unit = unit == 1 ? nullptr : rows_weighed_in(rows, unit);
  survey.weigh_in(unit);
  const std::vector<double> offsets = keeps_zero(learner) ? std::vector<double>() : target_offsets(survey);
  std::unique_ptr<Rows> less_targets;
  Rows& learnt = with_target_offsets(in_unit ? *in_unit : rows, offsets, less_targets);
  if (!offsets.empty()) survey.shift_targets(offsets);
  const Stream stream(learnt, map, threads, execution);
  Fitted fitted = fit(stream, survey);
  fitted.report.map = map->spec();
  Model model(rows.schema(), {std::move(map)}, fitted.head, std::move(fitted.report));
  model.set_deviation(std::move(fitted.deviation));
  model.set_target_offsets(offsets);
  if (!offsets.empty() && model.report().score) {
    Report report = model.report();
    report.score->relative_error.reset();  // it depends on where the target has its zero
    model.set_report(std::move(report));
  }
  return model;
}

}  // namespace

Model fit(Rows& rows, MapPtr map, const RidgeOptions& ridge, const Execution& execution) {
  return fit_on(
      rows, std::move(map), Learner::ridge, ridge.seed, execution, [&](const Stream& stream, const Survey& survey) {
        const std::size_t outputs = target_code(stream.schema(), survey, ridge.intercept).columns();
        check_fit_memory(ridge_memory(fit_size(stream, survey, outputs, false), ridge, double(memory_limit(execution))),
                         stream.features(), execution);
        return fit_ridge_by_choice(stream, survey, ridge);
      });
}

Model fit_learner(Rows& rows, MapPtr map, const LearnerOptions& learner, const Execution& execution) {
  require(learner.learner != Learner::ridge, "fit_learner: ridge has options of its own; use fit");
  return fit_on(
      rows, std::move(map), learner.learner, learner.seed, execution, [&](const Stream& stream, const Survey& survey) {
        const std::size_t outputs = target_code(stream.schema(), survey, learner.intercept).columns();
        check_fit_memory(
            learner_memory(fit_size(stream, survey, outputs, false), learner, double(memory_limit(execution))),
            stream.features(), execution);
        return fit_learner(stream, survey, learner);
      });
}

}  // namespace bochner
