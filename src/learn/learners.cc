// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "base/published.h"
#include "base/require.h"
#include "bochner/learner.h"
#include "learn/tweedie.h"

namespace bochner {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr const char* kIterates = "it passes over all rows again and again; train it on the whole, or use ridge";

LossCurve square(const LossPoint& at) {
  const double r = at.target - at.score;
  return {at.cost * r * r / 2, -at.cost * r, at.cost};
}

LossCurve squared_hinge(const LossPoint& at) {
  const double v = 1 - at.target * at.score;
  return v > 0 ? LossCurve{at.cost * v * v, -2 * at.cost * at.target * v, 2 * at.cost} : LossCurve{0, 0, 0};
}

// log(1 + exp(-y u)); of more than two classes learn/newton/losses.h has the softmax.
LossCurve logistic(const LossPoint& at) {
  const double m = at.target * at.score, e = std::exp(-std::abs(m));
  const double wrong = m >= 0 ? e / (1 + e) : 1 / (1 + e);  // 1 / (1 + exp(m))
  return {at.cost * (std::log1p(e) + std::max(0.0, -m)), -at.cost * at.target * wrong,
          at.cost * e / ((1 + e) * (1 + e))};
}

// r^2 / 2 within delta, delta (|r| - delta / 2) beyond
LossCurve huber(const LossPoint& at) {
  const double r = at.target - at.score, delta = at.parameter;
  if (std::abs(r) <= delta) return square(at);
  return {at.cost * delta * (std::abs(r) - delta / 2), -std::copysign(at.cost * delta, r), 0};
}

// max(0, |r| - epsilon)^2
LossCurve squared_tube(const LossPoint& at) {
  const double r = at.target - at.score, v = std::abs(r) - at.parameter;
  return v > 0 ? LossCurve{at.cost * v * v, -std::copysign(2 * at.cost * v, r), 2 * at.cost} : LossCurve{0, 0, 0};
}

// Half the deviance of a Tweedie law about exp(score). Beyond scores that no mean of a table has, a parabola goes on,
// so that no step of a search leaves the numbers.
LossCurve tweedie(const LossPoint& at, double p) {
  constexpr double kFar = 50;
  const double y = at.target, u = std::clamp(at.score, -kFar, kFar), beyond = at.score - u;
  const double own = std::exp((2 - p) * u), others = y * std::exp((1 - p) * u);
  const double slope = own - others, curvature = (2 - p) * own + (p - 1) * others;
  const double value = tweedie_own(y, p) + tweedie_of_mean(y, u, p);
  return {at.cost * (value + beyond * (slope + beyond * curvature / 2)), at.cost * (slope + beyond * curvature),
          at.cost * curvature};
}

constexpr LossParameter kEpsilon = {.name = "epsilon",
                                    .meaning = "errors this small cost nothing",
                                    .low = 0,
                                    .high = kInfinity,
                                    .may_be_low = true,
                                    .initial = 0.1,
                                    .is_of_target = true,
                                    .initial_text = "a tenth of the deviation"};
// Huber's delta in deviations: 95 % as good as squares on normal errors. NewtonLearner goes on to the residuals'.
constexpr LossParameter kDelta = {.name = "delta",
                                  .meaning = "errors beyond it count as lines",
                                  .low = 0,
                                  .high = kInfinity,
                                  .initial = 1.345,
                                  .is_of_target = true,
                                  .initial_text = "by the residuals"};
constexpr LossParameter kLevel = {
    .name = "quantile", .meaning = "the share of targets that shall lie below", .low = 0, .high = 1, .initial = 0.5};
constexpr LossParameter kPower = {
    .name = "power", .meaning = "the variance grows as this power of the mean", .low = 1, .high = 2, .initial = 1.5};

constexpr LearnerRow kLearners[] = {
    {.learner = Learner::ridge, .name = "ridge", .curve = square},
    {.learner = Learner::svm,
     .name = "svm",
     .task = Task::classification,
     .has_C = true,
     .has_loss = true,
     .curve = squared_hinge,
     .steepest = 2,
     .rounds_features = true,
     .no_parts = kIterates},
    {.learner = Learner::hard_svm, .name = "hard-svm", .task = Task::classification, .no_parts = kIterates},
    {.learner = Learner::logistic,
     .name = "logistic",
     .task = Task::classification,
     .has_C = true,
     .curve = logistic,
     .steepest = 0.25,
     .rounds_features = true,
     .probabilities = true,
     .no_parts = kIterates},
    {.learner = Learner::huber,
     .name = "huber",
     .task = Task::regression,
     .has_C = true,
     .parameter = kDelta,
     .curve = huber,
     .no_parts = kIterates},
    {.learner = Learner::svr,
     .name = "svr",
     .task = Task::regression,
     .has_C = true,
     .has_loss = true,
     .parameter = kEpsilon,
     .curve = squared_tube,
     .steepest = 2,
     .lines = [](double epsilon) { return LossLines{.free = epsilon}; },
     .no_parts = kIterates},
    {.learner = Learner::quantile,
     .name = "quantile",
     .task = Task::regression,
     .has_C = true,
     .parameter = kLevel,
     .lines = [](double level) { return LossLines{.above = level, .below = 1 - level}; },
     .judged_by_loss = true,
     .has_levels = true,
     .no_parts = kIterates},
    {.learner = Learner::knn,
     .name = "knn",
     .has_neighbors = true,
     .no_parts = "it keeps the rows themselves; train it on the whole, or use ridge"},
    {.learner = Learner::poisson,
     .name = "poisson",
     .task = Task::regression,
     .has_C = true,
     .curve = [](const LossPoint& at) { return tweedie(at, 1); },
     .judged_by_loss = true,
     .power = [](double) { return 1.0; },
     .no_parts = kIterates},
    {.learner = Learner::gamma,
     .name = "gamma",
     .task = Task::regression,
     .has_C = true,
     .curve = [](const LossPoint& at) { return tweedie(at, 2); },
     .judged_by_loss = true,
     .power = [](double) { return 2.0; },
     .no_parts = kIterates},
    {.learner = Learner::tweedie,
     .name = "tweedie",
     .task = Task::regression,
     .has_C = true,
     .parameter = kPower,
     .curve = [](const LossPoint& at) { return tweedie(at, at.parameter); },
     .judged_by_loss = true,
     .power = [](double power) { return power; },
     .no_parts = kIterates},
};

Published<std::shared_ptr<const LearnerRow>>& registered() {
  static Published<std::shared_ptr<const LearnerRow>> rows;
  return rows;
}

template <class Is>
const LearnerRow* find_row(const Is& is) {
  for (const LearnerRow& row : kLearners)
    if (is(row)) return &row;
  for (const auto& row : registered().read())
    if (is(*row)) return row.get();
  return nullptr;
}

void check_row(const LearnerRow& row) {
  const auto must = [&](bool holds, const char* expected) {
    require(holds, "learner '{}': its row makes no sense, expected {}", row.name, expected);
  };
  must(*row.name != 0, "a name");
  must((row.curve != nullptr) != (row.lines != nullptr), "curve or lines");
  must(row.has_C && !row.has_loss && !row.has_neighbors && !row.probabilities,
       "has_C, and neither has_loss, has_neighbors nor probabilities");
  must(!row.lines || row.task == Task::regression, "lines with the task regression");
  must(!row.power || (row.curve && row.task == Task::regression), "a power with a curve and the task regression");
  must(!row.has_levels, "no levels");
  must(row.steepest > 0 && row.steepest < kInfinity, "a positive number as steepest");
  if (!row.parameter) return;
  const LossParameter& parameter = *row.parameter;
  must(*parameter.name != 0 && parameter.low < parameter.high, "a parameter with a name, and low below high");
  must(parameter.initial >= parameter.low && parameter.initial <= parameter.high, "its initial value between the two");
}

}  // namespace

double LossLines::value(const LossPoint& at) const {
  const double r = at.target - at.score;
  return at.cost * std::max({0.0, above * (r - free), below * (-r - free)});
}

std::vector<LearnerRow> learners() {
  std::vector<LearnerRow> all(std::begin(kLearners), std::end(kLearners));
  for (const auto& row : registered().read()) all.push_back(*row);
  return all;
}

const LearnerRow& learner_row(Learner learner) {
  const LearnerRow* const row = find_row([&](const LearnerRow& candidate) { return candidate.learner == learner; });
  require(row != nullptr, "learner: there is none of the number {}; register_learner() gives one", int(learner));
  return *row;
}

const LearnerRow* find_learner(std::string_view name) {
  return find_row([&](const LearnerRow& candidate) { return candidate.name == name; });
}

bool answers_quantiles(std::string_view learner) {
  const LearnerRow* const row = find_learner(learner);
  return row && row->has_levels;
}

Learner register_learner(const LearnerRow& row) {
  check_row(row);
  auto own = std::make_shared<LearnerRow>(row);
  if (*own->no_parts == 0) own->no_parts = kIterates;
  registered().add(own, [&](std::span<const std::shared_ptr<const LearnerRow>> more) {
    require(!find_learner(row.name), "learner '{}': there is one of that name already, expected another", row.name);
    own->learner = Learner(int(std::size(kLearners)) + int(more.size()));
  });
  return own->learner;
}

}  // namespace bochner
