// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/learner.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/clock.h"
#include "base/require.h"
#include "folds/held_out.h"
#include "learn/choice.h"
#include "learn/choose_C.h"
#include "learn/fit_memory.h"
#include "learn/level_shifts.h"
#include "learn/newton/dense_design.h"
#include "learn/newton/learner_on_ranks.h"
#include "learn/newton/newton_learner.h"
#include "learn/newton/row_space.h"
#include "learn/newton/sparse_design.h"
#include "learn/own_fit.h"
#include "maps/link.h"
#include "random/hold_out.h"

namespace bochner {

namespace {

constexpr double kChoiceTolerance = 1e-3;      // relative to the objective, while C is chosen
constexpr double kSparseTolerance = 1e-3;      // if none is given and the features are CSR
constexpr std::size_t kMostLogged = 1u << 17;  // numbers of a step in a checkpoint's log, of CSR features

ChoiceOfC score_stream(const Stream& validation, const MapPtr& head, const LossChoice& loss, ChoiceOfC choice) {
  std::vector<double> row(head->outputs());
  const std::vector<std::string> names = validation.schema().target_names();
  validation.through(head).each("validation", [&](const auto& block) {
    for (std::size_t i = 0; i < block.rows; ++i) {
      const double* const targets = block.targets + i * block.target_count;
      const double weight = weight_of(block.weights, i);
      for (std::size_t k = 0; loss.row.power && weight > 0 && k < names.size(); ++k)
        check_amount(loss, targets[k], names[k], "validation: row", block.first + i);
      std::copy_n(block.values + i * block.stride, block.cols, row.begin());
      choice.add(row.data(), targets, weight);
    }
  });
  return choice;
}

// Empty where the draw leaves no weight on one of the two sides.
std::vector<bool> rows_held_out(const Design& z, std::uint64_t seed) {
  const std::size_t n = z.rows();
  const double fraction = fraction_held_out(double(n));
  std::vector<bool> held(n);
  bool some = false, rest = false;
  for (std::size_t i = 0; i < n; ++i) {
    held[i] = is_held_out(seed, i, fraction);
    (held[i] ? some : rest) |= z.weight(i) > 0;
  }
  if (!some || !rest) held.clear();
  return held;
}

// One number where all are equal.
std::string numbers_text(const std::vector<double>& values) {
  const bool same = std::all_of(values.begin(), values.end(), [&](double v) { return v == values[0]; });
  return fmt::format("{:.6g}", fmt::join(values.begin(), same ? values.begin() + 1 : values.end(), ", "));
}

// The features in a store, or where rows are far fewer than features the rows in coordinates of their own space.
class LearnerFeatures {
 public:
  // warm: coefficients of all features are known, so that they stay.
  LearnerFeatures(const Stream& stream, const Survey& survey, const LearnerOptions& options, bool validation, bool warm,
                  const std::function<void(const std::string&)>& say) {
    const std::size_t n = survey.rows();
    const double memory = double(memory_limit(stream.execution()));
    const FitSize size = fit_size(stream, survey, learner_outputs(stream.schema(), options), validation);
    const double left = std::max(memory - newton_memory(size, options, memory).total(), 0.0);
    if (keeps_csr(size)) {
      sparse_.emplace(stream, n, std::size_t(left));
      design_ = std::make_unique<SparseDesign>(*sparse_, options.intercept);
      if (say && sparse_->kept_rows() < n) say("features: " + sparse_->text());
      return;
    }
    if (!warm && spans_few(n, stream.features())) {
      const auto all = std::numeric_limits<std::size_t>::max();
      store_.emplace(stream, n, all, FeatureStore::Rounding::none);
      store_->fill();
      dense_ = store_->dense();
      space_.emplace(dense_, stream.threads());
      rows_ = space_->rows(stream.schema());
      inside_.emplace(Stream(*rows_, nullptr, stream.threads(), stream.execution(), Precision::float64).quiet(), n,
                      all);
      design_ = std::make_unique<DenseDesign>(*inside_, options.intercept);
      return;
    }
    store_.emplace(stream, n, std::size_t(left),
                   rounds_features(options) ? FeatureStore::Rounding::where_bounded : FeatureStore::Rounding::none);
    if (say && store_->kept_rows() < n)
      say("features: " + store_->text());  // not a note: a model must not depend on it
    design_ = std::make_unique<DenseDesign>(*store_, options.intercept);
  }

  const Design& design() const { return *design_; }
  bool few() const { return space_.has_value(); }
  bool sparse() const { return sparse_.has_value(); }
  Coefficients head(const Coefficients& inside, Threads& threads) const {
    return space_ ? space_->expand(inside, threads) : inside;
  }

 private:
  std::optional<SparseStore> sparse_;
  std::optional<FeatureStore> store_, inside_;
  DenseRows dense_;
  std::optional<RowSpace> space_;
  std::unique_ptr<Rows> rows_;
  std::unique_ptr<Design> design_;
};

// A fit of one learner: C is chosen, then the head for it.
class LearnerFit {
 public:
  // start: where it begins; null: at 0.
  LearnerFit(const Stream& stream, const Survey& survey, const LearnerOptions& options, const Stream* validation,
             const Coefficients* start = nullptr)
      : stream_(stream),
        survey_(survey),
        options_(options),
        row_(learner_row(options.learner)),
        validation_(validation),
        start_(start),
        tolerance_(options.tolerance.value_or(keeps_csr(fit_size(stream, survey, 1, false)) ? kSparseTolerance
                                                                                            : kLearnerTolerance)) {
    for (double& C : options_.C) C *= survey.weight_unit();  // it was given for the weights as they were
  }

  Fitted run(const std::function<void(const std::string&)>& say, const MakeHead& make_head) {
    const std::size_t outputs = learner_outputs(stream_.schema(), options_);
    const LearnerFeatures features(stream_, survey_, options_, validation_ != nullptr, start_ != nullptr, say);
    if (features.few()) report().notes.push_back("fewer rows than features: solved in the space of the rows");
    report().seconds.emplace_back("features", clock_.lap());
    const ProgressFunction& progress = stream_.execution().progress;
    NewtonLearner learner(
        features.design(), stream_.schema(), options_,
        [&](double fraction) {
          if (progress) progress("solve", fraction);
        },
        logs_steps(features, outputs) ? stream_.execution().checkpoint : nullptr);
    if (start_) learner.begin_at(*start_);
    const std::vector<double> given = given_C(options_, learner.weight());
    // What is searched is searched in the targets' units, so that it does not depend on the user's.
    units_ = given.empty() ? NewtonLearner::Units::of_target : NewtonLearner::Units::of_user;
    const double C = choose(features, learner, given);
    const bool corrects = row_.has_levels && given.size() != 1;
    if (corrects && !options_.intercept) report().notes.push_back("not corrected: there is no intercept to move");
    const std::vector<double> shifts =
        corrects && options_.intercept ? shifts_of_levels(features.design(), learner, C) : std::vector<double>();
    const NewtonLearner::Solution solution = learner.solve(C, tolerance_, units_);
    Coefficients head = features.head(learner.head(), stream_.threads());
    for (std::size_t k = 0; k < shifts.size(); ++k) head.intercept[k] += shifts[k];
    fitted_.head = answering(make_head ? make_head(head) : linear(head.weights, head.intercept), learner);
    report().seconds.emplace_back("solve", clock_.lap());
    describe(learner, C, solution);
    return std::move(fitted_);
  }

 private:
  Report& report() { return fitted_.report; }
  // A step is as long as the head: of millions of features they would fill the disk, and are made again.
  static bool logs_steps(const LearnerFeatures& features, std::size_t outputs) {
    return !features.sparse() || features.design().length() * outputs <= kMostLogged;
  }
  double lambda_of(const NewtonLearner& learner, double C) const {
    return 1 / (learner.users_C(C, units_)[0] * learner.weight());
  }

  // The C of least loss on validation rows or on rows held out; the first where there are neither.
  double choose(const LearnerFeatures& features, NewtonLearner& learner, const std::vector<double>& given) {
    const Design& z = features.design();
    std::vector<bool> held;
    if (!validation_ && given.size() != 1) held = rows_held_out(z, options_.seed);
    if (!validation_ && held.empty()) return given.empty() ? 1 : given[0];
    const ChoiceOfC choice(stream_.schema().task, learner.units(), learner.loss(), options_.levels.size() > 1);
    learner.hold_out(held);
    const std::vector<TrialOfC> trials = try_path(given, [&](double c) {
      learner.solve(c, given.size() == 1 ? tolerance_ : std::max(tolerance_, kChoiceTolerance), units_);
      ChoiceOfC found =
          validation_ ? score_stream(*validation_, head_for_choice(features, learner), learner.loss(), choice) : choice;
      std::vector<double> row(learner.units().size());
      for (std::size_t i = 0; i < held.size(); ++i)
        if (held[i]) {
          learner.predict(i, row.data());
          found.add(row.data(), z.targets(i), z.weight(i));
        }
      return TrialOfC{c, found.loss(), found.score()};
    });
    learner.hold_out({});
    const auto best = std::min_element(trials.begin(), trials.end(),
                                       [](const TrialOfC& a, const TrialOfC& b) { return a.loss < b.loss; });
    report().score = best->score;
    report().validation = validation_ ? "validation file" : "held out";
    for (const TrialOfC& trial : trials) report().path.push_back({lambda_of(learner, trial.C), trial.score});
    report().seconds.emplace_back("choice of C", clock_.lap());
    return best->C;
  }

  MapPtr head_for_choice(const LearnerFeatures& features, const NewtonLearner& learner) const {
    const Coefficients head = features.head(learner.head(), stream_.threads());
    return answering(linear(head.weights, head.intercept), learner);
  }

  // What predicts: answers made of the head's scores.
  MapPtr answering(MapPtr head, const NewtonLearner& learner) const {
    if (row_.power) return linked(std::move(head), {.power = learner.loss().power()});
    if (options_.levels.size() < 2) return head;
    return linked(std::move(head), {.kind = Link::Kind::ascending, .levels = options_.levels});
  }

  // Corrects the levels of quantiles by rows that solutions for this C did not see: all rows in folds, or a fifth of
  // them where they are many.
  std::vector<double> shifts_of_levels(const Design& z, NewtonLearner& learner, double C) {
    constexpr std::size_t kFolds = 5, kMany = 50000;
    LevelShifts found(learner.parameter());
    std::vector<double> answers(learner.units().size()), targets(answers.size());
    for (std::size_t fold = 0; fold < (z.rows() > kMany ? 1 : kFolds); ++fold) {
      std::vector<bool> held(z.rows());
      bool rest = false;
      for (std::size_t i = 0; i < held.size(); ++i) {
        held[i] = fold_of_row(options_.seed, i, kFolds) == fold;
        rest |= !held[i] && z.weight(i) > 0;
      }
      if (!rest) continue;
      learner.hold_out(held);
      learner.solve(C, std::max(tolerance_, kChoiceTolerance), units_);
      for (std::size_t i = 0; i < held.size(); ++i) {
        if (!held[i]) continue;
        learner.predict(i, answers.data());
        if (options_.levels.size() > 1) std::sort(answers.begin(), answers.end());
        for (std::size_t k = 0; k < targets.size(); ++k) targets[k] = z.targets(i)[options_.levels.empty() ? k : 0];
        found.add(answers.data(), targets.data(), z.weight(i));
      }
    }
    learner.hold_out({});
    if (found.empty()) return {};
    std::vector<double> shares = found.below();
    for (double& share : shares) share *= 100;
    report().notes.push_back(fmt::format(
        "corrected: {} % of the targets of rows left out lay at or below the answers, which were moved by {}",
        numbers_text(shares), numbers_text(found.shifts())));
    report().seconds.emplace_back("correction", clock_.lap());
    return found.shifts();
  }

  void describe(const NewtonLearner& learner, double C, const NewtonLearner::Solution& solution) {
    if (!std::isfinite(solution.objective) || !std::isfinite(solution.excess))
      fail(Error::Kind::data,
           "{}: the objective is {:g} and may lie {:g} above the optimum, expected finite numbers; lower C, or divide "
           "the targets and weights by their units",
           row_.name, solution.objective, solution.excess);
    report().rows = survey_.rows();
    report().inputs = stream_.schema().inputs;
    report().features = stream_.features();
    report().learner = row_.name;
    report().solver = "newton-cg";
    report().lambda = lambda_of(learner, C);
    std::vector<std::string>& notes = report().notes;
    if (row_.has_C) {
      std::vector<double> found = learner.users_C(C, units_);
      for (double& c : found) c /= survey_.weight_unit();
      notes.push_back("C: " + numbers_text(found));
    }
    if (row_.parameter) notes.push_back(fmt::format("{}: {}", row_.parameter->name, numbers_text(learner.parameter())));
    notes.push_back(
        fmt::format("objective: {:.10g}, at most {:.1e} of it above the optimum; {} Newton steps, {} "
                    "products, {} factorizations",
                    solution.objective, solution.objective > 0 ? solution.excess / solution.objective : 0.0,
                    learner.newton().steps(), learner.newton().products(), learner.newton().factors()));
    if (!solution.converged) report().termination = Termination::step_limit;
    if (!solution.converged)
      notes.push_back(
          fmt::format("not converged: the tolerance {:g} was not reached within {} Newton steps or rounds of them",
                      tolerance_, options_.most_steps));
  }

  const Stream& stream_;
  const Survey& survey_;
  LearnerOptions options_;
  const LearnerRow& row_;
  const Stream* validation_;
  const Coefficients* start_;
  double tolerance_;
  NewtonLearner::Units units_ = NewtonLearner::Units::of_user;
  Clock clock_;
  Fitted fitted_;
};

}  // namespace

Fitted fit_learner(const Stream& stream, const Survey& survey, const LearnerOptions& options, const Stream* validation,
                   const std::function<void(const std::string&)>& say, const MakeHead& make_head) {
  check_learner(stream.schema(), options);
  if (const OwnFit* own = own_fit(options.learner)) {
    require(!make_head, "{}: its head is of rows, not of coefficients; use another learner",
            learner_row(options.learner).name);
    return own->fit(stream, survey, options, validation);
  }
  if (stream.execution().ranks) return learner_on_ranks(stream, survey, options);
  return LearnerFit(stream, survey, options, validation).run(say, make_head);
}

Fitted fit_learner_from(const Stream& stream, const Survey& survey, const LearnerOptions& options,
                        const Coefficients& start) {
  check_learner(stream.schema(), options);
  require(options.C.size() + options.lambdas.size() == 1 && start.weights.rows() == stream.features() &&
              start.weights.cols() == learner_outputs(stream.schema(), options),
          "{}: found a start of {} features and {} values of C, expected {} features and one",
          learner_row(options.learner).name, start.weights.rows(), options.C.size() + options.lambdas.size(),
          stream.features());
  return LearnerFit(stream, survey, options, nullptr, &start).run({}, {});
}

}  // namespace bochner
