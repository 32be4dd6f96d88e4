// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cmath>

#include "base/require.h"
#include "learn/learner.h"
#include "learn/newton/newton_learner.h"

namespace bochner {

namespace {

void check_parameter(const LearnerRow& row, double value) {
  require(row.parameter.has_value(), "{}: its loss has no parameter; leave it out", row.name);
  const LossParameter& p = *row.parameter;
  const bool inside = (value > p.low || (p.may_be_low && value == p.low)) && value < p.high;
  if (std::isinf(p.high) && p.low == 0)
    require(inside, "{}: {} is {}, expected a {} number", row.name, p.name, value,
            p.may_be_low ? "non-negative" : "positive");
  require(inside, "{}: {} is {}, expected a number between {} and {}", row.name, p.name, value, p.low, p.high);
}

void check_levels(const Schema& schema, const LearnerRow& row, const LearnerOptions& options) {
  if (options.levels.empty()) return;
  require(row.has_levels, "{}: it has no levels, which quantile has; leave them out", row.name);
  require(!options.parameter, "{}: found a parameter and levels, expected one of them", row.name);
  require(schema.targets == 1, "{}: found {} levels for {} targets, expected one target", row.name,
          options.levels.size(), schema.targets);
  constexpr std::size_t kMostLevels = 100;
  require(options.levels.size() <= kMostLevels, "{}: found {} levels, expected at most {}", row.name,
          options.levels.size(), kMostLevels);
  double last = -1;
  for (const double level : options.levels) {
    check_parameter(row, level);
    require(level > last, "{}: found the level {} after {}, expected growing ones", row.name, level, last);
    last = level;
  }
}

}  // namespace

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
  const LearnerRow& row = learner_row(options.learner);
  const std::string name = row.name;
  const bool numbers = row.task.value_or(schema.task) == Task::regression;
  require(numbers == (schema.task == Task::regression), "{} learns {}, found targets that are {}; use {}", name,
          numbers ? "numbers" : "classes", numbers ? "classes" : "numbers",
          numbers ? "svm, logistic or ridge" : "huber, svr, quantile, poisson, gamma, tweedie or ridge");
  if (!numbers) check_classes(schema, {}, name);
  require(options.C.empty() || options.lambdas.empty(), "{}: found both C and lambda, expected one of them", name);
  require(options.learner != Learner::hard_svm || (options.C.empty() && options.lambdas.empty()),
          "hard-svm: a hard margin has no C and no lambda; leave them out or use svm");
  require(!row.has_neighbors || (options.C.empty() && options.lambdas.empty() && !options.tolerance),
          "{}: it has no C, no lambda and no tolerance; leave them out", name);
  for (const std::size_t k : options.neighbors) require(k >= 1, "{}: neighbors is {}, expected 1 or more", name, k);
  require(!row.has_neighbors || options.kernel.length_scales.size() == 1,
          "{}: found {} length scales of the kernel, expected one", name, options.kernel.length_scales.size());
  constexpr double kMost = 1e30;  // if larger, loss and penalty differ by more digits than a double has
  const auto check_size = [&](const char* what, double value) {
    require(std::isfinite(value) && value > 0, "{}: {} is {}, expected a positive number", name, what, value);
    require(value <= kMost && value >= 1 / kMost, "{}: {} is {:g}, expected {:g} to {:g}{}", name, what, value,
            1 / kMost, kMost, options.learner == Learner::svm ? "; hard-svm allows no error at all" : "");
  };
  for (double C : options.C) check_size("C", C);
  for (double lambda : options.lambdas) check_size("lambda", lambda);
  if (options.parameter) check_parameter(row, *options.parameter);
  check_levels(schema, row, options);
  const double tolerance = options.tolerance.value_or(kLearnerTolerance);
  require(tolerance > 0 && tolerance < 1, "{}: tolerance is {}, expected a number between 0 and 1", name, tolerance);
}

}  // namespace bochner
