// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/calibration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "random/draw.h"

namespace bochner {
namespace {

double draw(std::size_t i, std::size_t j) { return normal(11, Draw::sample, i, j); }
double share(std::size_t i, std::size_t j) { return 0.5 * std::erfc(-draw(i, j) / std::sqrt(2)); }

double sigmoid(double u) { return 1 / (1 + std::exp(-u)); }

// Mean |promised - found| over ten bins of the promise.
double apart(const std::vector<double>& promised, const std::vector<double>& found) {
  double sums[10][2] = {}, sum = 0;
  for (std::size_t i = 0; i < promised.size(); ++i) {
    double* bin = sums[std::min(9, int(10 * promised[i]))];
    bin[0] += promised[i];
    bin[1] += found[i];
  }
  for (const double* bin : sums) sum += std::fabs(bin[0] - bin[1]);
  return sum / double(promised.size());
}

TEST(Calibration, FindsTheSlopeAndShiftThatMadeTheLabels) {
  const std::size_t n = 20000;
  Matrix<double> scores(n, 1);
  std::vector<double> labels;
  for (std::size_t i = 0; i < n; ++i) {
    scores(i, 0) = 1e-3 * draw(i, 0);
    labels.push_back(share(i, 1) < sigmoid(2500 * scores(i, 0) - 0.7));
  }
  const Calibration found = calibrate(scores.view(), labels);
  EXPECT_NEAR(found.slope, 2500, 100);
  EXPECT_NEAR(found.shift[0], -0.7, 0.06);
}

TEST(Calibration, BendsWhereNoSigmoidFits) {
  const std::size_t n = 8000;
  Matrix<double> scores(n, 1);
  std::vector<double> labels, promised, truth;
  const auto chance = [](double u) { return u < 0 ? 0.2 : u < 1 ? 0.5 : 0.9; };
  for (std::size_t i = 0; i < n; ++i) {
    scores(i, 0) = draw(i, 0);
    labels.push_back(share(i, 1) < chance(scores(i, 0)));
  }
  const Calibration found = calibrate(scores.view(), labels);
  EXPECT_FALSE(found.given.empty());
  double worst = 0;
  for (const double u : {-2.0, -1.0, 0.5, 1.6}) {
    double p[2];
    found.apply(&u, p);
    worst = std::max(worst, std::fabs(p[1] - chance(u)));
    EXPECT_NEAR(p[0] + p[1], 1, 1e-12);
  }
  EXPECT_LT(worst, 0.06);
}

TEST(Calibration, OfManyClassesKeepsItsPromises) {
  const std::size_t n = 6000, classes = 5;
  Matrix<double> scores(2 * n, classes);
  std::vector<double> labels;
  for (std::size_t i = 0; i < 2 * n; ++i) {
    double sum = 0, p[classes];
    for (std::size_t c = 0; c < classes; ++c) sum += p[c] = std::exp(2 * draw(i, c) + 0.5 * double(c));
    double u = share(i, 20) * sum;
    std::size_t label = 0;
    while (label + 1 < classes && (u -= p[label]) > 0) ++label;
    labels.push_back(double(label));
    for (std::size_t c = 0; c < classes; ++c) scores(i, c) = 0.1 * draw(i, c);  // the shifts are not in them
  }
  const Calibration found = calibrate(scores.view().slice(0, n), {labels.data(), n});
  std::vector<double> promised, right;
  std::vector<double> p(classes);
  for (std::size_t i = n; i < 2 * n; ++i) {
    found.apply(&scores(i, 0), p.data());
    double sum = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      promised.push_back(p[c]);
      right.push_back(labels[i] == double(c));
      sum += p[c];
    }
    ASSERT_NEAR(sum, 1, 1e-12);
  }
  EXPECT_LT(apart(promised, right), 0.01);
}

TEST(Calibration, StaysFiniteWhereScoresTellAllOrNothing) {
  Matrix<double> scores(50, 1);
  std::vector<double> labels;
  for (std::size_t i = 0; i < 50; ++i) labels.push_back(double(i % 2));
  for (std::size_t i = 0; i < 50; ++i) scores(i, 0) = i % 2 ? 1 : -1;  // apart
  double p[2];
  Calibration found = calibrate(scores.view(), labels);
  ASSERT_TRUE(std::isfinite(found.slope));
  found.apply(&scores(1, 0), p);
  EXPECT_GT(p[1], 0.9);
  EXPECT_LT(p[1], 1);
  for (std::size_t i = 0; i < 50; ++i) scores(i, 0) = 7;  // all the same
  found = calibrate(scores.view(), labels);
  found.apply(&scores(0, 0), p);
  EXPECT_NEAR(p[1], 0.5, 0.01);
  for (std::size_t i = 0; i < 50; ++i) scores(i, 0) = i % 2 ? -1 : 1;  // the wrong way round: they are not turned
  found = calibrate(scores.view(), labels);
  EXPECT_EQ(found.slope, 0);
  std::fill(labels.begin(), labels.end(), 1.0);  // one class only
  found = calibrate(scores.view(), labels);
  found.apply(&scores(0, 0), p);
  EXPECT_GT(p[1], 0.9);
}

TEST(Calibration, RowsOfWeightTwoCountAsTwoAndOfWeightZeroAsNone) {
  Matrix<double> once(120, 1), twice(160, 1);
  std::vector<double> labels, weights, more;
  for (std::size_t i = 0, at = 0; i < 120; ++i) {
    once(i, 0) = draw(i, 0);
    labels.push_back(share(i, 1) < sigmoid(once(i, 0)));
    weights.push_back(double(i % 3));
    for (std::size_t k = 0; k < i % 3; ++k, ++at) {
      if (at >= 160) break;
      twice(at, 0) = once(i, 0);
      more.push_back(labels[i]);
    }
  }
  const std::size_t n = more.size();
  const Calibration a = calibrate(once.view(), labels, weights), b = calibrate(twice.view().slice(0, n), more);
  EXPECT_NEAR(a.slope, b.slope, 1e-6 * b.slope);
  EXPECT_NEAR(a.shift[0], b.shift[0], 1e-6);
}

TEST(Calibration, RefusesWhatDoesNotFit) {
  Matrix<double> scores(3, 3);
  EXPECT_THROW(calibrate(scores.view(), std::vector<double>{0, 1}), std::invalid_argument);
  EXPECT_THROW(calibrate(scores.view(), std::vector<double>{0, 1, 3}), std::invalid_argument);
  EXPECT_THROW(calibrate(scores.view(), std::vector<double>{0, 1, 2}, std::vector<double>{0, 0, 0}),
               std::invalid_argument);
}

}  // namespace
}  // namespace bochner
