// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "choose/landmarks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "random/draw.h"

namespace bochner {
namespace {

using Choice = NystroemOptions::Choice;

// Nineteen of twenty rows lie together, the others far apart: uniform landmarks miss most of those.
Matrix<float> clustered(std::size_t n) {
  Matrix<float> x(n, 3);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < 3; ++j) x(i, j) = float(normal(1, Draw::candidate, i, j) * (i % 20 == 0 ? 30 : 0.3));
  return x;
}

double far_rows(const std::vector<std::size_t>& chosen) {
  double count = 0;
  for (const std::size_t i : chosen) count += i % 20 == 0;
  return count;
}

class Landmarks : public ::testing::TestWithParam<Choice> {};
INSTANTIATE_TEST_SUITE_P(All, Landmarks, ::testing::Values(Choice::uniform, Choice::leverage, Choice::rpcholesky),
                         [](const auto& info) { return landmark_choice_name(info.param); });

TEST_P(Landmarks, AreDifferentRowsAndTheSameForAnyThreadCount) {
  const Matrix<float> x = clustered(1300);
  const NystroemOptions options{.kernel = gaussian(1), .landmarks = 60, .choice = GetParam(), .seed = 5};
  Threads one(1);
  const std::vector<std::size_t> chosen = choose_landmarks(x.view(), options, one);
  EXPECT_EQ(chosen.size(), 60u);
  EXPECT_EQ(std::set<std::size_t>(chosen.begin(), chosen.end()).size(), 60u);
  for (const int count : {2, 3, 7}) {
    Threads threads(count);
    EXPECT_EQ(choose_landmarks(x.view(), options, threads), chosen);
  }
}

TEST_P(Landmarks, AreAllRowsOfASmallSample) {
  const Matrix<float> x = clustered(30);
  Threads threads(2);
  std::vector<std::size_t> chosen =
      choose_landmarks(x.view(), {.kernel = laplacian(1), .landmarks = 100, .choice = GetParam()}, threads);
  std::sort(chosen.begin(), chosen.end());
  ASSERT_EQ(chosen.size(), 30u);
  for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(chosen[i], i);
}

TEST(Landmarks, ByLeverageAndPivotsGoWhereTheKernelHasDirections) {
  const Matrix<float> x = clustered(2000);  // 100 far rows, a twentieth
  Threads threads(2);
  const auto far = [&](Choice choice) {
    return far_rows(
        choose_landmarks(x.view(), {.kernel = gaussian(1), .landmarks = 80, .choice = choice, .seed = 2}, threads));
  };
  EXPECT_LT(far(Choice::uniform), 15);
  EXPECT_GT(far(Choice::leverage), 40);
  EXPECT_GT(far(Choice::rpcholesky), 60);
}

// Two rows that are copies: once one is a pivot, the other has no residual.
TEST(Landmarks, PivotsStopWhereNothingIsLeft) {
  Matrix<float> x(40, 2);
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t j = 0; j < 2; ++j) x(i, j) = float(normal(3, Draw::candidate, i % 10, j));
  Threads threads(1);
  const auto chosen =
      choose_landmarks(x.view(), {.kernel = laplacian(1), .landmarks = 30, .choice = Choice::rpcholesky}, threads);
  EXPECT_EQ(chosen.size(), 10u);
}

// The law of the pivots is the plain algorithm's: the first is uniform, the second is proportional to 1 - k^2.
TEST(Landmarks, PivotsFollowTheResidual) {
  Matrix<float> x(3, 1);
  x(1, 0) = 0.5f;
  x(2, 0) = 3;
  const Kernel kernel = laplacian(1);
  const double near = 1 - std::exp(-1.0), wide = 1 - std::exp(-6.0), other = 1 - std::exp(-5.0);
  double pairs[3] = {0, 0, 0};  // {0,1}, {0,2}, {1,2}
  const int trials = 20000;
  Threads threads(1);
  for (int seed = 0; seed < trials; ++seed) {
    const auto chosen = choose_landmarks(
        x.view(), {.kernel = kernel, .landmarks = 2, .choice = Choice::rpcholesky, .seed = std::uint64_t(seed)},
        threads);
    ASSERT_EQ(chosen.size(), 2u);
    ++pairs[chosen[0] + chosen[1] - 1];
  }
  const double expected[3] = {near / 3 * (1 / (near + wide) + 1 / (near + other)),
                              wide / 3 * (1 / (near + wide) + 1 / (wide + other)),
                              other / 3 * (1 / (near + other) + 1 / (wide + other))};
  for (int p = 0; p < 3; ++p) {
    const double deviation = std::sqrt(expected[p] * (1 - expected[p]) / trials);
    EXPECT_NEAR(pairs[p] / trials, expected[p], 4.5 * deviation) << p;
  }
}

// Kernel values of such rows are no numbers, and pivots were drawn for ever.
TEST(Landmarks, RefuseRowsThatFloatCannotHold) {
  Matrix<double> x(20, 2);
  for (std::size_t i = 0; i < 20; ++i) x(i, 0) = double(i);
  EXPECT_EQ(nystroem(x.view(), {.kernel = gaussian(1), .landmarks = 4})->inputs(), 2u);
  for (const Choice choice : {Choice::uniform, Choice::leverage, Choice::rpcholesky}) {
    Matrix<double> large = x, far = x;
    large(3, 1) = 1e300;
    for (std::size_t i = 0; i < 20; ++i) far(i, 0) += 1e9;
    EXPECT_THROW(nystroem(large.view(), {.kernel = gaussian(1), .landmarks = 4, .choice = choice}),
                 std::invalid_argument);
    EXPECT_THROW(nystroem(far.view(), {.kernel = gaussian(1), .landmarks = 4, .choice = choice}),
                 std::invalid_argument);
  }
}

TEST(Landmarks, RefuseBadOptions) {
  const Matrix<float> x = clustered(10);
  Threads threads(1);
  EXPECT_THROW(choose_landmarks(x.view(), {.landmarks = 0}, threads), std::invalid_argument);
  EXPECT_THROW(choose_landmarks(Matrix<float>(0, 3).view(), {}, threads), std::invalid_argument);
  EXPECT_THROW(choose_landmarks(x.view(), {.tolerance = 2}, threads), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
