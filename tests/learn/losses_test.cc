// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/newton/losses.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <string>

#include "random/draw.h"

namespace bochner {
namespace {

constexpr std::size_t kRows = 40, kOutputs = 3;

struct Case {
  std::string name;
  std::function<std::unique_ptr<Loss>(const Examples&, const Matrix<double>& multipliers)> make;
  bool classes;
};

const std::vector<Case>& cases() {
  const std::vector<double> widths = {0.3, 0.5, 0.8};
  static const std::vector<Case> all = {
      {"squared_hinge", [](const Examples& e, const Matrix<double>&) { return squared_hinge(e); }, true},
      {"logistic", [](const Examples& e, const Matrix<double>&) { return logistic(e); }, true},
      {"softmax", [](const Examples& e, const Matrix<double>&) { return softmax(e); }, true},
      {"huber", [=](const Examples& e, const Matrix<double>&) { return huber(e, widths); }, false},
      {"squared_tube", [=](const Examples& e, const Matrix<double>&) { return squared_tube(e, widths); }, false},
      {"hinge", [](const Examples& e, const Matrix<double>& a) { return smoothed_hinge(e, a, 0.4, false); }, true},
      {"hard", [](const Examples& e, const Matrix<double>& a) { return smoothed_hinge(e, a, 0.4, true); }, true},
      {"tube", [=](const Examples& e, const Matrix<double>& a) { return smoothed_tube(e, a, 0.4, widths); }, false},
  };
  return all;
}

class EveryLoss : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    examples.y = Matrix<double>(kRows, kOutputs);
    multipliers = u = direction = Matrix<double>(kRows, kOutputs);
    for (std::size_t i = 0; i < kRows; ++i) {
      examples.c.push_back(i == 7 ? 0.0 : 0.2 + uniform(1, Draw::sample, i));
      for (std::size_t k = 0; k < kOutputs; ++k) {
        examples.y(i, k) = GetCase().classes ? (i % kOutputs == k ? 1 : -1) : normal(2, Draw::sample, i, k);
        multipliers(i, k) = examples.y(i, k) * examples.c[i] * uniform(3, Draw::sample, i, k);
        u(i, k) = 1.5 * normal(4, Draw::sample, i, k);
        direction(i, k) = normal(5, Draw::sample, i, k);
      }
    }
    loss = GetCase().make(examples, multipliers);
  }
  const Case& GetCase() const { return cases()[GetParam()]; }

  struct Point {
    double value = 0;
    Matrix<double> pull, state;
  };
  Point at(double t) const {
    Matrix<double> moved = u;
    for (std::size_t i = 0; i < kRows * kOutputs; ++i) moved.data()[i] += t * direction.data()[i];
    Point p{0, Matrix<double>(kRows, kOutputs), Matrix<double>(kRows, kOutputs)};
    std::vector<double> values(kOutputs);
    // Two parts: a loss must find its rows from the number of the first.
    loss->evaluate(0, 11, moved.data(), values.data(), p.pull.data(), p.state.data());
    loss->evaluate(11, kRows - 11, &moved(11, 0), values.data(), &p.pull(11, 0), &p.state(11, 0));
    p.value = std::accumulate(values.begin(), values.end(), 0.0);
    return p;
  }

  Examples examples;
  Matrix<double> multipliers, u, direction;
  std::unique_ptr<Loss> loss;
};

TEST_P(EveryLoss, PullIsMinusTheGradient) {
  const double h = 1e-6;
  double slope = 0;
  const Point here = at(0);
  for (std::size_t i = 0; i < kRows * kOutputs; ++i) slope -= here.pull.data()[i] * direction.data()[i];
  EXPECT_NEAR((at(h).value - at(-h).value) / (2 * h), slope, 1e-6 * (1 + std::abs(slope)));
}

TEST_P(EveryLoss, CurvatureIsTheDerivativeOfTheGradient) {
  const double h = 1e-7;
  const Point here = at(0), next = at(h), last = at(-h);
  std::vector<std::size_t> rows(kRows), outputs(kOutputs);
  std::iota(rows.begin(), rows.end(), 0);
  std::iota(outputs.begin(), outputs.end(), 0);
  Matrix<double> r(kRows, kOutputs);
  loss->curvature(rows, here.state, outputs, direction.data(), r.data());
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t k = 0; k < kOutputs; ++k)
      EXPECT_NEAR((last.pull(i, k) - next.pull(i, k)) / (2 * h), r(i, k), 1e-5) << GetCase().name << " row " << i;
}

TEST_P(EveryLoss, MeanCurvatureIsTheMeanOfTheDiagonal) {
  const Point here = at(0);
  const std::vector<double> mean = loss->mean_curvature(here.state);
  std::vector<std::size_t> outputs(kOutputs);
  std::iota(outputs.begin(), outputs.end(), 0);
  for (std::size_t i = 0; i < kRows; ++i) {
    double diagonal = 0;
    for (std::size_t k = 0; k < kOutputs; ++k) {
      double q[kOutputs] = {}, r[kOutputs] = {};
      q[k] = 1;
      loss->curvature({&i, 1}, here.state, outputs, q, r);
      diagonal += r[k] / kOutputs;
    }
    EXPECT_NEAR(mean[i], diagonal, 1e-14);
  }
}

TEST_P(EveryLoss, RowsOfNoWeightHaveNoPart) {
  const Point here = at(0);
  for (std::size_t k = 0; k < kOutputs; ++k) EXPECT_EQ(here.pull(7, k), 0);
  EXPECT_EQ(loss->mean_curvature(here.state)[7], 0);
}

INSTANTIATE_TEST_SUITE_P(Losses, EveryLoss, testing::Range<std::size_t>(0, 8),
                         [](const auto& info) { return cases()[info.param].name; });

TEST(SmoothedHinge, PullStaysBetweenZeroAndC) {
  Examples e{Matrix<double>(1, 1), {2.0}};
  e.y(0, 0) = -1;
  const Matrix<double> none(1, 1);
  const auto loss = smoothed_hinge(e, none, 0.1, false);
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
