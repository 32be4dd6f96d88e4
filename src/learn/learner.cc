// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/learner.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/clock.h"
#include "base/require.h"
#include "folds/held_out.h"
#include "learn/descend.h"
#include "learn/newton/primal.h"
#include "learn/newton/row_space.h"
#include "random/draw.h"

namespace bochner {

namespace {

constexpr double kTolerance = 1e-6;                 // of the objective
constexpr double kChoiceTolerance = 1e-3;           // of the objective while C is chosen
constexpr int kStart = 0, kLeast = -8, kMost = 14;  // C = 10^(step / 2)
constexpr double kFlat = 1e-9;                      // of the loss
constexpr double kMostHeldOut = 8192, kFewHeldOut = 2000;

// -log of the probability that the scores of a logistic head give to the class.
double log_loss(const double* scores, std::size_t outputs, std::size_t label) {
  if (outputs == 1) {
    const double margin = label == 1 ? scores[0] : -scores[0];
    return std::log1p(std::exp(-std::abs(margin))) + std::max(0.0, -margin);
  }
  const double most = *std::max_element(scores, scores + outputs);
  double sum = 0;
  for (std::size_t k = 0; k < outputs; ++k) sum += std::exp(scores[k] - most);
  return std::log(sum) + most - scores[label];
}

// What chooses C: for probabilities the log-loss; for classes the error and, to break ties, the squared error of the
// scores brought into (-1, 1); for numbers the mean absolute error in each target's unit, which outliers do not rule.
class Choice {
 public:
  Choice(Task task, std::vector<double> units, bool probabilities)
      : task_(task),
        probabilities_(probabilities),
        units_(std::move(units)),
        scorer_(task, units_.size()),
        squashed_(task, units_.size()),
        row_(units_.size()) {}

  void add(const double* prediction, const double* target, double weight) {
    scorer_.add(prediction, target, weight);
    weight_ += weight;
    if (task_ == Task::regression) {
      for (std::size_t k = 0; k < row_.size(); ++k) sum_ += weight * std::abs(prediction[k] - target[k]) / units_[k];
    } else if (probabilities_) {
      sum_ += weight * log_loss(prediction, row_.size(), std::size_t(target[0]));
    } else {
      for (std::size_t k = 0; k < row_.size(); ++k) row_[k] = std::tanh(prediction[k]);
      squashed_.add(row_.data(), target, weight);
    }
  }
  Score score() const { return scorer_.score(); }
  double loss() const { return task_ == Task::classification && !probabilities_ ? squashed_.loss() : sum_ / weight_; }

 private:
  Task task_;
  bool probabilities_;
  std::vector<double> units_;
  Scorer scorer_, squashed_;
  std::vector<double> row_;
  double weight_ = 0, sum_ = 0;
};

Choice score_stream(const Stream& validation, const Coefficients& head, Choice choice) {
  std::vector<double> row(head.weights.cols());
  validation.through(linear(head.weights, head.intercept)).each("validation", [&](const auto& block) {
    for (std::size_t i = 0; i < block.rows; ++i) {
      std::copy_n(block.values + i * block.stride, block.cols, row.begin());
      choice.add(row.data(), block.targets + i * block.target_count, weight_of(block.weights, i));
    }
  });
  return choice;
}

struct Trial {
  double C = 0, loss = 0;
  Score score;
};

bool is_flat(double a, double b) { return std::abs(a - b) <= kFlat * std::abs(a); }

// Every C given, in their order; or half-decades from 1 until the loss turns, which it has not while it is flat: a head
// that does not see the rows yet.
std::vector<Trial> try_path(const std::vector<double>& given, const std::function<Trial(double)>& evaluate) {
  std::vector<Trial> trials;
  if (!given.empty()) {
    for (double C : given) trials.push_back(evaluate(C));
    return trials;
  }
  std::map<int, Trial> tried;
  const auto loss = [&](int step) {
    if (!tried.contains(step)) tried[step] = evaluate(std::pow(10.0, step / 2.0));
    return tried[step].loss;
  };
  int start = kStart;
  while (start + 2 <= kMost && is_flat(loss(start), loss(start + 2))) start += 2;
  if (start + 2 > kMost) start = kStart;  // flat all the way up: so it may be down
  while (start - 2 >= kLeast && is_flat(loss(start), loss(start - 2))) start -= 2;
  descend(start, kLeast, kMost, loss);
  for (const auto& [step, trial] : tried) trials.push_back(trial);
  return trials;
}

// Empty where the draw leaves no weight on one of the two sides.
std::vector<bool> rows_held_out(const FeatureRows& z, std::uint64_t seed) {
  const std::size_t n = z.rows();
  const double rows = double(n);
  const double fraction = std::min(std::clamp(kFewHeldOut / rows, 0.1, 0.25), kMostHeldOut / rows);
  std::vector<bool> held(n);
  bool some = false, rest = false;
  for (std::size_t i = 0; i < n; ++i) {
    held[i] = uniform(seed, Draw::holdout, i) < fraction;
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

// The values of C to try; a hard margin has one, of no effect.
std::vector<double> given_C(const LearnerOptions& options, double weight) {
  if (options.learner == Learner::hard_svm) return {1.0};
  std::vector<double> C = options.C;
  for (double lambda : options.lambdas) C.push_back(1 / (lambda * weight));
  return C;
}

}  // namespace

const char* learner_name(Learner learner) {
  switch (learner) {
    case Learner::ridge:
      return "ridge";
    case Learner::svm:
      return "svm";
    case Learner::hard_svm:
      return "hard-svm";
    case Learner::logistic:
      return "logistic";
    case Learner::huber:
      return "huber";
    case Learner::svr:
      return "svr";
  }
  return "";
}

void check_classes(const Schema& schema, const std::vector<std::uint64_t>& class_rows, const std::string& place) {
  if (schema.task == Task::regression) return;
  std::size_t found = 0, last = 0;
  for (std::size_t c = 0; c < schema.labels.size(); ++c)
    if (class_rows.empty() || class_rows[c] > 0) {
      ++found;
      last = c;
    }
  if (found >= 2) return;
  if (found == 0) fail(Error::Kind::data, "{}: the target has no classes, expected two or more labels", place);
  fail(Error::Kind::data,
       "{}: every row is of the class '{}', expected two classes or more; add rows of another class, or name another "
       "target",
       place, schema.labels[last]);
}

void check_learner(const Schema& schema, const LearnerOptions& options) {
  const std::string name = learner_name(options.learner);
  const bool numbers = options.learner == Learner::huber || options.learner == Learner::svr;
  require(numbers == (schema.task == Task::regression), "{} learns {}, found targets that are {}; use {}", name,
          numbers ? "numbers" : "classes", numbers ? "classes" : "numbers",
          numbers ? "svm, logistic or ridge" : "huber, svr or ridge");
  if (!numbers) check_classes(schema, {}, name);
  require(options.C.empty() || options.lambdas.empty(), "{}: found both C and lambda, expected one of them", name);
  require(options.learner != Learner::hard_svm || (options.C.empty() && options.lambdas.empty()),
          "hard-svm: a hard margin has no C and no lambda; leave them out or use svm");
  const auto check = [&](const char* what, double value, bool zero) {
    require(std::isfinite(value) && (value > 0 || (zero && value == 0)), "{}: {} is {}, expected a {} number", name,
            what, value, zero ? "non-negative" : "positive");
  };
  for (double C : options.C) check("C", C, false);
  for (double lambda : options.lambdas) check("lambda", lambda, false);
  if (options.epsilon) check("epsilon", *options.epsilon, true);
  if (options.delta) check("delta", *options.delta, false);
  const double tolerance = options.tolerance.value_or(kTolerance);
  require(tolerance > 0 && tolerance < 1, "{}: tolerance is {}, expected a number between 0 and 1", name, tolerance);
}

Fitted fit_learner(const Stream& stream, const Survey& survey, const LearnerOptions& given_options,
                   const Stream* validation) {
  const Schema& schema = stream.schema();
  check_learner(schema, given_options);
  LearnerOptions options = given_options;
  for (double& C : options.C) C *= survey.weight_unit();  // it was given for the weights as they were
  const std::size_t D = stream.features();
  const double tolerance = options.tolerance.value_or(kTolerance);

  Clock clock;
  Fitted fitted;
  Report& report = fitted.report;
  const bool few = spans_few(survey.rows(), D);
  FeatureRows all(D, options.intercept && !few, survey.rows());
  stream.each("features", [&](const auto& block) { all.add(stream.workers(), block); });
  std::optional<RowSpace> space;
  std::optional<FeatureRows> inside;
  if (few) {
    space.emplace(all, stream.threads());
    inside.emplace(space->rows(options.intercept, stream.threads()));
    report.notes.push_back("fewer rows than features: solved in the space of the rows");
  }
  const FeatureRows& z = few ? *inside : all;
  report.seconds.emplace_back("features", clock.lap());

  const ProgressFunction& progress = stream.execution().progress;
  Primal primal(
      z, schema, options, stream.threads(),
      [&](double fraction) {
        if (progress) progress("solve", fraction);
      },
      stream.execution().checkpoint);
  const auto head_of = [&] { return space ? space->expand(primal.head(), stream.threads()) : primal.head(); };
  const std::vector<double> given = given_C(options, primal.weight());
  double C = given.empty() ? 1 : given[0];
  // What is searched is searched in the targets' units, so that it does not depend on the user's.
  const Primal::Units units = given.empty() ? Primal::Units::of_target : Primal::Units::of_user;
  const auto lambda_of = [&](double c) { return 1 / (primal.users_C(c, units)[0] * primal.weight()); };
  std::vector<bool> held;
  if (!validation && given.size() != 1) held = rows_held_out(z, options.seed);
  if (validation || !held.empty()) {
    const Choice choice(schema.task, primal.units(), options.learner == Learner::logistic);
    primal.hold_out(held);
    const std::vector<Trial> trials = try_path(given, [&](double c) {
      primal.solve(c, given.size() == 1 ? tolerance : std::max(tolerance, kChoiceTolerance), units);
      Choice found = choice;
      if (validation) found = score_stream(*validation, head_of(), choice);
      std::vector<double> row(primal.head().weights.cols());
      for (std::size_t i = 0; i < held.size(); ++i)
        if (held[i]) {
          primal.predict(i, row.data());
          found.add(row.data(), z.targets(i), z.weight(i));
        }
      return Trial{c, found.loss(), found.score()};
    });
    primal.hold_out({});
    const auto best =
        std::min_element(trials.begin(), trials.end(), [](const Trial& a, const Trial& b) { return a.loss < b.loss; });
    C = best->C;
    report.score = best->score;
    report.validation = validation ? "validation file" : "held out";
    for (const Trial& trial : trials) report.path.push_back({lambda_of(trial.C), trial.score});
    report.seconds.emplace_back("choice of C", clock.lap());
  }

  const Primal::Solution solution = primal.solve(C, tolerance, units);
  const Coefficients head = head_of();
  fitted.head = linear(head.weights, head.intercept);
  report.seconds.emplace_back("solve", clock.lap());

  report.rows = survey.rows();
  report.inputs = schema.inputs;
  report.features = D;
  report.learner = learner_name(options.learner);
  report.solver = "newton-cg";
  report.lambda = lambda_of(C);
  if (options.learner != Learner::hard_svm) {
    std::vector<double> found = primal.users_C(C, units);
    for (double& c : found) c /= survey.weight_unit();
    report.notes.push_back("C: " + numbers_text(found));
  }
  if (options.learner == Learner::svr) report.notes.push_back("epsilon: " + numbers_text(primal.epsilon()));
  if (options.learner == Learner::huber) report.notes.push_back("delta: " + numbers_text(primal.delta()));
  report.notes.push_back(
      fmt::format("objective: {:.10g}, at most {:.1e} of it above the optimum; {} Newton steps, {} "
                  "products, {} factorizations",
                  solution.objective, solution.objective > 0 ? solution.excess / solution.objective : 0.0,
                  primal.newton().steps(), primal.newton().products(), primal.newton().factors()));
  if (!solution.converged) report.termination = Termination::step_limit;
  if (!solution.converged)
    report.notes.push_back(
        fmt::format("not converged: the tolerance {:g} was not reached within {} Newton steps or rounds of them",
                    tolerance, options.most_steps));
  return fitted;
}

}  // namespace bochner
