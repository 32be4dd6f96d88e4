// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "random/elementary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "random/draw.h"
#include "random/powers.h"

namespace bochner {
namespace {

constexpr double kEpsilon = 0x1p-52;

TEST(Elementary, LogIsWithinTwoUlpOfLibmOverTheWholeRange) {
  for (int exponent = -1000; exponent <= 1000; exponent += 8)
    for (std::uint64_t i = 0; i < 200; ++i) {
      const double x = std::ldexp(uniform(1, Draw::sample, i), exponent);
      EXPECT_NEAR(portable_log(x), std::log(x), 2 * kEpsilon * std::fabs(std::log(x))) << x;
    }
  EXPECT_EQ(portable_log(1), 0);
  for (double tiny : {1e-3, 1e-8, 1e-15}) EXPECT_NEAR(portable_log(1 + tiny), std::log(1 + tiny), 2 * kEpsilon * tiny);
}

TEST(Elementary, Log1pIsWithinTwoUlpOfLibm) {
  for (int exponent = -1000; exponent <= 1000; exponent += 8)
    for (std::uint64_t i = 0; i < 200; ++i) {
      const double x = std::ldexp(uniform(3, Draw::sample, i), exponent);
      EXPECT_NEAR(portable_log1p(x), std::log1p(x), 2 * kEpsilon * std::log1p(x)) << x;
    }
  EXPECT_EQ(portable_log1p(0), 0);
  EXPECT_EQ(portable_log1p(INFINITY), INFINITY);
}

TEST(Elementary, ExpIsWithinTwoUlpOfLibm) {
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const double x = 1400 * (uniform(2, Draw::sample, i) - 0.5);
    EXPECT_NEAR(portable_exp(x), std::exp(x), 2 * kEpsilon * std::exp(x)) << x;
  }
  EXPECT_EQ(portable_exp(0), 1);
}

TEST(Elementary, LogAndExpAreTheLibrarysAtTheEdges) {
  for (const double x : {709.78, -708.5, -720.0, -740.0})
    EXPECT_NEAR(portable_exp(x), std::exp(x), 4 * kEpsilon * std::exp(x) + 5e-324) << x;
  for (const double x : {710.0, 1e5, 1e300, HUGE_VAL}) EXPECT_EQ(portable_exp(x), HUGE_VAL) << x;
  for (const double x : {-746.0, -1e5, -1e300, -HUGE_VAL}) EXPECT_EQ(portable_exp(x), 0) << x;
  for (const double x : {0x1p-1022, 0x1p-1023, 0x1p-1074, 1e-310})
    EXPECT_NEAR(portable_log(x), std::log(x), 1e-12) << x;
  EXPECT_EQ(portable_log(0), -HUGE_VAL);
  EXPECT_EQ(portable_log(HUGE_VAL), HUGE_VAL);
  EXPECT_TRUE(std::isnan(portable_log(-1)));
  EXPECT_TRUE(std::isnan(portable_log(NAN)));
  EXPECT_TRUE(std::isnan(portable_log1p(NAN)));
  EXPECT_TRUE(std::isnan(portable_exp(NAN)));
}

// Phi(quantile(p)) = p in the center, both tails and beside the edges between the three approximations.
TEST(Elementary, NormalQuantileInvertsTheDistribution) {
  const auto below = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  const double edge = std::exp(-25);
  for (double p : {0x1p-53, 1e-14, edge * 0.999, edge * 1.001, 1e-5, 0.01, 0.0749999, 0.0750001, 0.2, 0.4999}) {
    const double z = normal_quantile(p);
    // d log Phi / dz is about -z in the tail: an error of one ulp in z shows multiplied by z^2.
    EXPECT_NEAR(below(z) / p, 1, 8 * kEpsilon * (1 + z * z)) << p;
    if (p > 1e-5) {
      EXPECT_NEAR(normal_quantile(1 - p), -z, 1e-15 / p);
    }
  }
  EXPECT_EQ(normal_quantile(0.5), 0);
}

TEST(Elementary, PowersAgreeWithTheLibrarysAndAreExactWhereTheyAreWhole) {
  for (int i = -400; i <= 400; ++i) {
    const double x = i / 13.0;
    EXPECT_NEAR(portable_exp2(x) / std::exp2(x), 1, 1e-15) << x;
    EXPECT_NEAR(portable_log2(std::exp2(x)), x, 1e-14) << x;
    EXPECT_EQ(portable_exp2(i), std::ldexp(1.0, i));
    EXPECT_EQ(portable_log2(std::ldexp(1.0, i)), i);
    EXPECT_NEAR(portable_power(1 + i * 2e-3, 0.37) / std::pow(1 + i * 2e-3, 0.37), 1, 1e-15) << i;
  }
}

}  // namespace
}  // namespace bochner
