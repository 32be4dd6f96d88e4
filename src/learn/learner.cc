// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/learner.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/clock.h"
#include "base/require.h"
#include "folds/held_out.h"
#include "learn/descend.h"
#include "learn/newton/primal.h"
#include "random/draw.h"

namespace bochner {

namespace {

constexpr double kTolerance = 1e-6;                 // of the objective
constexpr double kChoiceTolerance = 1e-3;           // of the objective while C is chosen
constexpr int kStart = 0, kLeast = -8, kMost = 10;  // C = 10^(step / 2)
constexpr double kMostHeldOut = 8192, kFewHeldOut = 2000;

// What chooses C: for classes the error and, to break ties, the squared error of the scores brought into (-1, 1);
// for numbers the mean absolute error, which outliers do not rule.
class Choice {
 public:
  Choice(Task task, std::size_t outputs, bool probabilities)
      : task_(task), probabilities_(probabilities), scorer_(task, outputs), squashed_(task, outputs), row_(outputs) {}

  void add(const double* prediction, const double* target, double weight) {
    scorer_.add(prediction, target, weight);
    weight_ += weight;
    for (std::size_t k = 0; k < row_.size(); ++k) {
      if (task_ == Task::classification)
        row_[k] = std::tanh(probabilities_ ? prediction[k] / 2 : prediction[k]);
      else
        absolute_ += weight * std::abs(prediction[k] - target[k]);
    }
    if (task_ == Task::classification) squashed_.add(row_.data(), target, weight);
  }
  Score score() const { return scorer_.score(); }
  double loss() const { return task_ == Task::classification ? squashed_.loss() : absolute_ / weight_; }

 private:
  Task task_;
  bool probabilities_;
  Scorer scorer_, squashed_;
  std::vector<double> row_;
  double weight_ = 0, absolute_ = 0;
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

// Every C given, in their order; or half-decades from 1 until the loss turns.
std::vector<Trial> try_path(const std::vector<double>& given, const std::function<Trial(double)>& evaluate) {
  std::vector<Trial> trials;
  if (!given.empty()) {
    for (double C : given) trials.push_back(evaluate(C));
    return trials;
  }
  std::map<int, Trial> tried;
  descend(kStart, kLeast, kMost, [&](int step) {
    if (!tried.contains(step)) tried[step] = evaluate(std::pow(10.0, step / 2.0));
    return tried[step].loss;
  });
  for (const auto& [step, trial] : tried) trials.push_back(trial);
  return trials;
}

std::vector<bool> rows_held_out(std::size_t n, std::uint64_t seed) {
  const double rows = double(n);
  const double fraction = std::min(std::clamp(kFewHeldOut / rows, 0.1, 0.25), kMostHeldOut / rows);
  std::vector<bool> held(n);
  for (std::size_t i = 0; i < n; ++i) held[i] = uniform(seed, Draw::holdout, i) < fraction;
  return held;
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

Fitted fit_learner(const Stream& stream, const Survey& survey, const LearnerOptions& options,
                   const Stream* validation) {
  const Schema& schema = stream.schema();
  check_learner(schema, options);
  const std::size_t D = stream.features();
  const double tolerance = options.tolerance.value_or(kTolerance);

  Clock clock;
  Fitted fitted;
  Report& report = fitted.report;
  const FeatureRows z = stream.fold(FeatureRows(D, options.intercept, survey.rows()), "features");
  report.seconds.emplace_back("features", clock.lap());

  const ProgressFunction& progress = stream.execution().progress;
  Primal primal(
      z, schema, options, stream.threads(),
      [&](double fraction) {
        if (progress) progress("solve", fraction);
      },
      stream.execution().checkpoint);
  const std::vector<double> given = given_C(options, primal.weight());
  double C = given.size() == 1 ? given[0] : 1;
  if (given.size() != 1 || validation) {
    const Choice choice(schema.task, primal.head().weights.cols(), options.learner == Learner::logistic);
    std::vector<bool> held;
    if (!validation) held = rows_held_out(z.rows(), options.seed);
    primal.hold_out(held);
    const std::vector<Trial> trials = try_path(given, [&](double c) {
      primal.solve(c, given.size() == 1 ? tolerance : std::max(tolerance, kChoiceTolerance));
      Choice found = choice;
      if (validation) found = score_stream(*validation, primal.head(), choice);
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
    for (const Trial& trial : trials) report.path.push_back({1 / (trial.C * primal.weight()), trial.score});
    report.seconds.emplace_back("choice of C", clock.lap());
  }

  const Primal::Solution solution = primal.solve(C, tolerance);
  const Coefficients head = primal.head();
  fitted.head = linear(head.weights, head.intercept);
  report.seconds.emplace_back("solve", clock.lap());

  report.rows = survey.rows();
  report.inputs = schema.inputs;
  report.features = D;
  report.learner = learner_name(options.learner);
  report.solver = "newton-cg";
  report.lambda = 1 / (C * primal.weight());
  if (options.learner != Learner::hard_svm) report.notes.push_back(fmt::format("C: {:.6g}", C));
  if (options.learner == Learner::svr) report.notes.push_back(fmt::format("epsilon: {:.6g}", primal.epsilon()));
  if (options.learner == Learner::huber) report.notes.push_back(fmt::format("delta: {:.6g}", primal.delta()));
  report.notes.push_back(
      fmt::format("objective: {:.10g}, at most {:.1e} of it above the optimum; {} Newton steps, {} "
                  "products, {} factorizations",
                  solution.objective, solution.excess / solution.objective, primal.newton().steps(),
                  primal.newton().products(), primal.newton().factors()));
  if (!solution.converged)
    report.notes.push_back(
        fmt::format("not converged: {} Newton steps did not reach the tolerance {:g}", options.most_steps, tolerance));
  return fitted;
}

}  // namespace bochner
