// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "bochner/kernel_family.h"
#include "kernels/law.h"
#include "random/elementary.h"

namespace bochner {
namespace {

Kernel stable(double p, double q, double sigma = 1) {
  return parse_kernel("stable:p=" + std::to_string(p) + ",q=" + std::to_string(q) + ",sigma=" + std::to_string(sigma));
}

constexpr double kPairs[][2] = {{2, 2},     {2, 1.5},   {2, 1},     {2, 0.5},   {2, 0.2},   {1.9, 1.9}, {1.8, 1.2},
                                {1.7, 0.7}, {1.5, 1.5}, {1.5, 1},   {1.5, 0.3}, {1.2, 1.2}, {1.2, 0.6}, {1, 1},
                                {1, 0.8},   {1, 0.5},   {0.8, 0.8}, {0.8, 0.4}, {0.5, 0.5}, {0.5, 0.3}};

// cos(omega.D) has the mean k(D) and the variance (1 + k(2 D)) / 2 - k(D)^2.
TEST(Stable, FrequenciesHaveTheKernelAsTheirCharacteristicFunction) {
  constexpr std::size_t kDraws = 20000, kInputs = 3;
  const double steps[5][kInputs] = {{0.05, 0, 0}, {0.1, -0.2, 0.05}, {0.5, 0.5, -0.1}, {1, -0.3, 0.7}, {2, 1.5, -1}};
  for (const auto& [p, q] : kPairs) {
    const Kernel kernel = stable(p, q, 1.3);
    double sums[5] = {}, squares[5] = {};
    std::vector<double> omega(kInputs);
    for (std::size_t i = 0; i < kDraws; ++i) {
      draw_frequency(kernel, 11, i, omega);
      for (std::size_t s = 0; s < 5; ++s) {
        double angle = 0;
        for (std::size_t j = 0; j < kInputs; ++j) angle += omega[j] * steps[s][j];
        sums[s] += std::cos(angle);
        squares[s] += std::cos(angle) * std::cos(angle);
      }
    }
    for (std::size_t s = 0; s < 5; ++s) {
      const std::vector<double> x(steps[s], steps[s] + kInputs), zero(kInputs), twice = {2 * x[0], 2 * x[1], 2 * x[2]};
      const double k = kernel_value(kernel, x, zero), n = double(kDraws);
      const double variance = (1 + kernel_value(kernel, twice, zero)) / 2 - k * k;
      const double mean = sums[s] / n, found = squares[s] / n - mean * mean;
      EXPECT_NEAR(mean, k, 4.5 * std::sqrt(variance / n)) << p << " " << q << " " << s;
      EXPECT_NEAR(found, variance, 4.5 / std::sqrt(n)) << p << " " << q << " " << s;  // the numbers are within +-1
    }
  }
}

TEST(Stable, ContainsTheKernelsThatHaveNames) {
  const std::vector<double> x = {0.3, -1.2, 0.5}, y = {1, 0.2, 0.4};
  EXPECT_NEAR(kernel_value(stable(1, 1, 0.7), x, y), kernel_value(laplacian(0.7), x, y), 1e-12);
  EXPECT_NEAR(kernel_value(stable(2, 1, 0.7), x, y), kernel_value(laplacian2(0.7), x, y), 1e-12);
  EXPECT_NEAR(kernel_value(stable(2, 2, 0.7), x, y), kernel_value(gaussian(0.7 / std::sqrt(2.0)), x, y), 1e-12);
}

TEST(Stable, RefusesWhatIsNoKernel) {
  EXPECT_THROW(parse_kernel("stable:p=1,q=1.5"), std::invalid_argument);
  EXPECT_THROW(parse_kernel("stable:p=2.1"), std::invalid_argument);
  EXPECT_THROW(parse_kernel("stable:q=0"), std::invalid_argument);
  EXPECT_EQ(kernel_name(parse_kernel("stable:p=2,q=0.5")), "stable:p=2,q=0.5");
}

TEST(Elementary, SineAndCosineOfHalfTurns) {
  for (double x = -1; x <= 1; x += 1.0 / 1024)
    EXPECT_NEAR(portable_sin_pi(x), double(std::sin(std::numbers::pi_v<long double> * x)), 3e-16) << x;
  for (double x = -0.5; x <= 0.5; x += 1.0 / 1024)
    EXPECT_NEAR(portable_cos_pi(x), double(std::cos(std::numbers::pi_v<long double> * x)), 3e-16) << x;
  EXPECT_EQ(portable_sin_pi(1), 0);
  EXPECT_NEAR(portable_cos_pi(0.5 - 0x1p-50) / (std::numbers::pi * 0x1p-50), 1, 1e-15);
}

}  // namespace
}  // namespace bochner
