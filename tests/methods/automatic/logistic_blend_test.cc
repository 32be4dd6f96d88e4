// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/logistic_blend.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "methods/automatic/race.h"
#include "random/draw.h"

namespace bochner {
namespace {

std::vector<std::size_t> counted(std::size_t n) {
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), 0u);
  return rows;
}

// Scores of -1 and 1 whose classes are known to the row: slope and shift are then logits.
TEST(LogisticBlend, FindsTheLogits) {
  const std::size_t n = 100000;
  Matrix<double> score(n, 1);
  ClassScores scores{{&score}, {}, {}};
  for (std::size_t i = 0; i < n; ++i) {
    score(i, 0) = i % 2 ? 1 : -1;
    scores.labels.push_back(i / 2 % 10 < (i % 2 ? 8 : 1) ? 1 : 0);  // 8 of 10, 1 of 10
  }
  const LogisticBlend found = logistic_blend(scores, counted(n));
  const double above = std::log(0.8 / 0.2), below = std::log(0.1 / 0.9);
  EXPECT_NEAR(found.weights[0], (above - below) / 2, 1e-3);
  EXPECT_NEAR(found.shift[0], (above + below) / 2, 1e-3);
  EXPECT_NEAR(log_loss(scores, counted(n), found) / double(n),
              -0.5 * (0.8 * std::log(0.8) + 0.2 * std::log(0.2) + 0.1 * std::log(0.1) + 0.9 * std::log(0.9)), 1e-6);
  for (std::size_t& label : scores.labels) label = 1 - label;  // a score that says the opposite is left out
  EXPECT_EQ(logistic_blend(scores, counted(n)).weights[0], 0);
}

TEST(LogisticBlend, IsTheLeastOfItsNeighbours) {
  const std::size_t n = 3000;
  Matrix<double> a(n, 3), b(n, 3);
  ClassScores scores{{&a, &b}, {}, {}};
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t label = uniform(1, Draw::sample, i, 9) < 0.5 ? 0 : uniform(1, Draw::sample, i, 8) < 0.3 ? 1 : 2;
    scores.labels.push_back(label);
    scores.weights.push_back(i % 3 ? 1.0 : 0.5);
    for (std::size_t k = 0; k < 3; ++k) {
      a(i, k) = 0.7 * double(k == label) + normal(2, Draw::sample, i, k);
      b(i, k) = 0.3 * double(k == label) + 0.5 * normal(3, Draw::sample, i, k);
    }
  }
  const LogisticBlend found = logistic_blend(scores, counted(n));
  const auto value = [&](const LogisticBlend& at) {
    double sum = log_loss(scores, counted(n), at);
    for (const double s : at.shift) sum += 0.5 * s * s;
    return sum;
  };
  EXPECT_GT(found.weights[0], 0.5);
  for (const double move : {-0.01, 0.01})
    for (std::size_t p = 0; p < 5; ++p) {
      LogisticBlend other = found;
      (p < 2 ? other.weights[p] : other.shift[p - 2]) += move;
      EXPECT_GT(value(other), value(found)) << p;
    }
}

TEST(LogisticBlend, TwoClassesToldApartPerfectly) {
  Matrix<double> score(40, 1);
  ClassScores scores{{&score}, {}, {}};
  for (std::size_t i = 0; i < 40; ++i) {
    score(i, 0) = i % 2 ? 1 : -1;
    scores.labels.push_back(i % 2);
  }
  const LogisticBlend found = logistic_blend(scores, counted(40));
  EXPECT_GT(found.weights[0], 3);
  EXPECT_TRUE(std::isfinite(found.weights[0]) && std::isfinite(found.shift[0]));
}

// A machine that answers log-odds, and one that answers +-1 with many faults: least squares holds the long tail of the
// first for error and trusts it too little.
TEST(RaceRows, ClassesAreBlendedByLogLossWhereThatHelps) {
  const std::size_t n = 4000;
  Matrix<float> x(n, 1);
  Matrix<double> y(n, 1);
  std::vector<double> odds(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double g = normal(1, Draw::sample, i);
    odds[i] = 3 * g * g * g;
    y(i, 0) = uniform(2, Draw::sample, i, 0) < 1 / (1 + std::exp(-odds[i])) ? 1 : 0;
    x(i, 0) = float(g);
  }
  Schema schema;
  schema.inputs = schema.targets = 1;
  schema.task = Task::classification;
  schema.labels = {"no", "yes"};
  const auto source = memory_rows<float>(std::as_const(x).view(), std::as_const(y).view(), schema);
  Threads threads(1);
  TargetCode code;
  code.task = Task::classification;
  code.classes = 2;
  const RaceRows rows(Stream(*source, nullptr, threads, {}), code, n, 5);
  Candidate first{"first", Matrix<double>(rows.held().size(), 1), 0, {}}, second = first;
  for (std::size_t p = 0; p < rows.held().size(); ++p) {
    const std::size_t i = rows.held()[p];
    first.held(p, 0) = odds[i];
    second.held(p, 0) = (y(i, 0) == 1) == (uniform(3, Draw::sample, i, 0) < 0.6) ? 1 : -1;
  }
  const std::vector<Candidate> both = {first, second};
  const FinalBlend found = rows.conclude(both);
  EXPECT_EQ(found.name, " by log-loss");
  const Matrix<double> squares = rows.weigh(both);
  EXPECT_GT(found.weights(0, 0) / found.weights(1, 0), squares(0, 0) / squares(1, 0));
  EXPECT_NEAR(found.weights(0, 0) + found.weights(1, 0), squares(0, 0) + squares(1, 0), 1e-9);
  EXPECT_LE(*rows.score(found.held).error, *rows.score(rows.blend_crosswise(both)).error);
}

}  // namespace
}  // namespace bochner
