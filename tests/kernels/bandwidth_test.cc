// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/bandwidth.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "random/draw.h"

namespace bochner {
namespace {

Matrix<double> normal_sample(std::size_t n, std::size_t d, double size) {
  Matrix<double> x(n, d);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < d; ++j) x(i, j) = size * normal(1, Draw::candidate, i, j);
  return x;
}

TEST(Bandwidth, ScaleIsScikitLearnsGamma) {
  Matrix<double> x(2, 2);
  x(0, 0) = 1, x(0, 1) = 2, x(1, 0) = 3, x(1, 1) = 6;  // Var over all entries = 3.5
  const double gamma = 1 / (2 * 3.5);
  EXPECT_DOUBLE_EQ(scale_bandwidth(gaussian(), x.view()), 1 / std::sqrt(2 * gamma));
  EXPECT_DOUBLE_EQ(scale_bandwidth(laplacian(), x.view()), 1 / gamma);
  EXPECT_DOUBLE_EQ(scale_bandwidth(cauchy(), x.view()), 1 / std::sqrt(gamma));
  EXPECT_DOUBLE_EQ(scale_bandwidth(matern(1.5), x.view()), 1 / std::sqrt(2 * gamma));
}

TEST(Bandwidth, MedianIsTheMiddlePairwiseDistance) {
  Matrix<double> x(3, 2);
  x(1, 0) = 3, x(1, 1) = 4;  // L2 distances 5, 10, 5; L1 7, 14, 7
  x(2, 0) = 6, x(2, 1) = 8;
  EXPECT_DOUBLE_EQ(median_bandwidth(gaussian(), x.view()), 5);
  EXPECT_DOUBLE_EQ(median_bandwidth(laplacian(), x.view()), 7);
}

// |x - y|^2 / 2 of unit normals is chi-square of d degrees: median d (1 - 2/(9d))^3.
TEST(Bandwidth, MedianOfALargeSampleFollowsTheChiSquare) {
  const double d = 10, median = std::sqrt(2 * d * std::pow(1 - 2 / (9 * d), 3));
  for (std::size_t n : {300, 5000})
    EXPECT_NEAR(median_bandwidth(gaussian(), normal_sample(n, 10, 1).view()), median, 0.03 * median) << n;
}

TEST(Bandwidth, BothRulesAreHomogeneous) {
  const Matrix<double> one = normal_sample(50, 3, 1), four = normal_sample(50, 3, 4);
  EXPECT_DOUBLE_EQ(median_bandwidth(laplacian(), four.view()), 4 * median_bandwidth(laplacian(), one.view()));
  EXPECT_NEAR(scale_bandwidth(gaussian(), four.view()), 4 * scale_bandwidth(gaussian(), one.view()), 1e-12);
}

TEST(Bandwidth, RepeatedRowsDoNotMakeItZero) {
  Matrix<double> x(100, 1);
  EXPECT_EQ(median_bandwidth(gaussian(), x.view()), 1);
  EXPECT_EQ(scale_bandwidth(gaussian(), x.view()), 1);
  x(7, 0) = 3;
  EXPECT_EQ(median_bandwidth(gaussian(), x.view()), 3);
}

TEST(Bandwidth, EmptyAndNonFiniteSamplesAreRefused) {
  Matrix<double> x(2, 1);
  x(1, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(median_bandwidth(gaussian(), x.view()), std::invalid_argument);
  EXPECT_THROW(scale_bandwidth(gaussian(), x.view()), std::invalid_argument);
  EXPECT_THROW(scale_bandwidth(gaussian(), Matrix<double>(0, 3).view()), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
