// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/newton/losses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>

#include "random/draw.h"

namespace bochner {
namespace {

constexpr std::size_t kRows = 40;

struct Case {
  std::string name;
  Learner learner;
  MarginLoss margin = MarginLoss::linear;
  std::vector<double> parameter = {};
  std::size_t outputs = 3;

  LossChoice choice() const { return {learner_row(learner), margin, parameter}; }
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

// Every loss of the table, and both of those that have two.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const LearnerRow& row : learners()) {
    if (!row.curve && !row.lines && row.learner != Learner::hard_svm) continue;
    std::vector<double> parameter;
    if (row.parameter) parameter = {0.3, 0.5, 0.8};
    if (row.parameter && row.power) parameter = {1.3, 1.5, 1.8};
    std::string name = row.name;
    std::erase(name, '-');
    for (const MarginLoss margin : {MarginLoss::linear, MarginLoss::squared})
      if (margin == MarginLoss::linear || row.has_loss)
        all.push_back({margin == MarginLoss::linear ? name : name + "_squared", row.learner, margin, parameter});
    if (row.learner == Learner::logistic) all.push_back({"logistic_of_two_classes", row.learner, {}, {}, 1});
  }
  return all;
}

bool learns_amounts(const Case& c) { return learner_row(c.learner).power != nullptr; }
bool learns_classes(const Case& c) { return learner_row(c.learner).task == Task::classification; }

class EveryLoss : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    outputs_ = GetParam().outputs;
    examples.y = Matrix<double>(kRows, outputs_);
    multipliers = u = direction = Matrix<double>(kRows, outputs_);
    for (std::size_t i = 0; i < kRows; ++i) {
      examples.c.push_back(i == 7 ? 0.0 : 0.2 + uniform(1, Draw::sample, i));
      for (std::size_t k = 0; k < outputs_; ++k) {
        examples.y(i, k) = learns_classes(GetParam()) ? (i % std::max<std::size_t>(2, outputs_) == k ? 1 : -1)
                                                      : normal(2, Draw::sample, i, k);
        if (learns_amounts(GetParam())) examples.y(i, k) = std::abs(examples.y(i, k));
        multipliers(i, k) = examples.y(i, k) * examples.c[i] * uniform(3, Draw::sample, i, k);
        u(i, k) = 1.5 * normal(4, Draw::sample, i, k);
        direction(i, k) = normal(5, Draw::sample, i, k);
      }
    }
    const LossChoice choice = GetParam().choice();
    loss = choice.is_smooth() ? smooth_loss(examples, choice) : smoothed_loss(examples, choice, multipliers, 0.4);
  }

  struct Point {
    double value = 0;
    Matrix<double> pull, state;
  };
  Point at(double t) const {
    Matrix<double> moved = u;
    for (std::size_t i = 0; i < kRows * outputs_; ++i) moved.data()[i] += t * direction.data()[i];
    Point p{0, Matrix<double>(kRows, outputs_), Matrix<double>(kRows, outputs_)};
    std::vector<double> values(outputs_);
    // Two parts: a loss must find its rows from the number of the first.
    loss->evaluate(0, 11, moved.data(), values.data(), p.pull.data(), p.state.data());
    loss->evaluate(11, kRows - 11, &moved(11, 0), values.data(), &p.pull(11, 0), &p.state(11, 0));
    p.value = std::accumulate(values.begin(), values.end(), 0.0);
    return p;
  }

  std::size_t outputs_ = 0;
  Examples examples;
  Matrix<double> multipliers, u, direction;
  std::unique_ptr<Loss> loss;
};

TEST_P(EveryLoss, PullIsMinusTheGradient) {
  const double h = 1e-6;
  double slope = 0;
  const Point here = at(0);
  for (std::size_t i = 0; i < kRows * outputs_; ++i) slope -= here.pull.data()[i] * direction.data()[i];
  EXPECT_NEAR((at(h).value - at(-h).value) / (2 * h), slope, 1e-6 * (1 + std::abs(slope)));
}

TEST_P(EveryLoss, CurvatureIsTheDerivativeOfTheGradient) {
  const double h = 1e-7;
  const Point here = at(0), next = at(h), last = at(-h);
  std::vector<std::size_t> rows(kRows), outputs(outputs_);
  std::iota(rows.begin(), rows.end(), 0);
  std::iota(outputs.begin(), outputs.end(), 0);
  Matrix<double> r(kRows, outputs_);
  loss->curvature(rows, here.state, outputs, direction.data(), r.data());
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t k = 0; k < outputs_; ++k)
      EXPECT_NEAR((last.pull(i, k) - next.pull(i, k)) / (2 * h), r(i, k), 1e-5) << GetParam().name << " row " << i;
}

TEST_P(EveryLoss, MeanCurvatureIsTheMeanOfTheDiagonal) {
  const Point here = at(0);
  const std::vector<double> mean = loss->mean_curvature(here.state);
  std::vector<std::size_t> outputs(outputs_);
  std::iota(outputs.begin(), outputs.end(), 0);
  for (std::size_t i = 0; i < kRows; ++i) {
    double diagonal = 0;
    for (std::size_t k = 0; k < outputs_; ++k) {
      std::vector<double> q(outputs_), r(outputs_);
      q[k] = 1;
      loss->curvature({&i, 1}, here.state, outputs, q.data(), r.data());
      diagonal += r[k] / outputs_;
    }
    EXPECT_NEAR(mean[i], diagonal, 1e-14);
  }
}

TEST_P(EveryLoss, RowsOfNoWeightHaveNoPart) {
  const Point here = at(0);
  for (std::size_t k = 0; k < outputs_; ++k) EXPECT_EQ(here.pull(7, k), 0);
  EXPECT_EQ(loss->mean_curvature(here.state)[7], 0);
}

INSTANTIATE_TEST_SUITE_P(Losses, EveryLoss, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

TEST(SmoothedHinge, PullStaysBetweenZeroAndC) {
  Examples e{Matrix<double>(1, 1), {2.0}};
  e.y(0, 0) = -1;
  const Matrix<double> none(1, 1);
  const auto loss = smoothed_loss(e, {learner_row(Learner::svm)}, none, 0.1);
  for (double u : {-3.0, -1.0, -0.97, 0.0, 5.0}) {
    double value = 0, pull = 0, state = 0;
    loss->evaluate(0, 1, &u, &value, &pull, &state);
    EXPECT_LE(pull, 0);
    EXPECT_GE(pull, -2);
    // Never above the hinge, below it by at most c h / 2.
    const double hinge = 2 * std::max(0.0, 1 + u);
    EXPECT_LE(value, hinge + 1e-15);
    EXPECT_GE(value, hinge - 0.1);
  }
}

}  // namespace
}  // namespace bochner
