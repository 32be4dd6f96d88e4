// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "random/draw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <set>
#include <vector>

namespace bochner {
namespace {

// The same literals on every architecture. The normals agree with scipy's ndtri of the same Philox words.
TEST(Draw, BitsAreEqualOnEveryMachine) {
  EXPECT_EQ(bits(42, Draw::frequency, 0, 3), 0x9b49a48b83a9026u);
  EXPECT_EQ(bits(42, Draw::frequency, 7, 3), 0x6610a8174420dfb3u);
  EXPECT_EQ(bits(42, Draw::sample, std::uint64_t{1} << 40, 3, std::uint64_t{1} << 33), 0x83673b8c8b17d1fdu);
  EXPECT_EQ(uniform(42, Draw::phase, 5), 0x1.69742ec674ea3p-1);
  EXPECT_EQ(normal(42, Draw::frequency, 0, 1), -0x1.30575a141373bp-1);
  EXPECT_EQ(normal(42, Draw::frequency, 1, 2), 0x1.a5f76e9cc5412p-1);
  EXPECT_EQ(normal(42, Draw::frequency, 2, 3), -0x1.0243a18bf13e5p+0);
  EXPECT_EQ(normal(42, Draw::frequency, 3, 4), -0x1.76db8e4b18ba3p+0);
  EXPECT_EQ(normal(42, Draw::frequency, 35345), 0x1.1f0a3c115902p+2);
  EXPECT_EQ(exponential(42, Draw::frequency, 9, 1), 0x1.206d2da25a4fap-2);
  EXPECT_EQ(cauchy_draw(42, Draw::frequency, 9, 1), -0x1.005f5d0c4f746p+4);
  EXPECT_EQ(laplace_draw(42, Draw::frequency, 9, 1), -0x1.206d2da25a4fap-2);
  EXPECT_EQ(gamma_draw(42, Draw::radius, 0.3, 9, 1), 0x1.91a70f3638771p-7);
  EXPECT_EQ(gamma_draw(42, Draw::radius, 0.5, 9, 1), 0x1.95b2ee8e5d804p-5);
  EXPECT_EQ(gamma_draw(42, Draw::radius, 2.5, 9, 1), 0x1.612d1f0e0a44p-1);
  EXPECT_EQ(gamma_draw(42, Draw::radius, 40, 9, 1), 0x1.f7bb2a7c19942p+4);
}

TEST(Draw, EveryCoordinateMattersInBothHalves) {
  std::set<std::uint64_t> seen;
  int count = 0;
  const auto add = [&](std::uint64_t value) { seen.insert(value), ++count; };
  add(bits(1, Draw::frequency, 2, 3, 4));
  add(bits(1, Draw::phase, 2, 3, 4));
  for (int shift : {0, 31, 32, 63}) {
    const std::uint64_t flip = std::uint64_t{1} << shift;
    add(bits(1 ^ flip, Draw::frequency, 2, 3, 4));
    add(bits(1, Draw::frequency, 2 ^ flip, 3, 4));
    add(bits(1, Draw::frequency, 2, 3 ^ flip, 4));
    add(bits(1, Draw::frequency, 2, 3, 4 ^ flip));
  }
  EXPECT_EQ(seen.size(), std::size_t(count));
}

// sqrt(n) sup |F_n - F|. Above 1.95 in one of 1000 samples of the right law.
double kolmogorov_smirnov(std::vector<double> x, const std::function<double(double)>& law) {
  std::sort(x.begin(), x.end());
  const double n = double(x.size());
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double f = law(x[i]);
    worst = std::max({worst, f - double(i) / n, double(i + 1) / n - f});
  }
  return std::sqrt(n) * worst;
}

std::vector<double> sample(const std::function<double(std::uint64_t, std::uint64_t)>& draw) {
  std::vector<double> x;
  for (std::uint64_t i = 0; i < 200; ++i)
    for (std::uint64_t j = 0; j < 200; ++j) x.push_back(draw(i, j));
  return x;
}

// The regularized lower incomplete gamma function, by its series.
double gamma_law(double shape, double x) {
  double term = std::exp(shape * std::log(x) - x - std::lgamma(shape + 1)), sum = 0;
  for (double n = 1; n < 1000 && term > 1e-18 * sum; ++n) {
    sum += term;
    term *= x / (shape + n);
  }
  return sum;
}

double normal_law(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

TEST(Draw, SamplesFollowTheirLaws) {
  constexpr Draw f = Draw::frequency;
  EXPECT_LT(kolmogorov_smirnov(sample([](auto i, auto j) { return uniform(3, f, i, j); }), [](double x) { return x; }),
            1.95);
  EXPECT_LT(kolmogorov_smirnov(sample([](auto i, auto j) { return normal(3, f, i, j); }), normal_law), 1.95);
  EXPECT_LT(kolmogorov_smirnov(sample([](auto i, auto j) { return exponential(3, f, i, j); }),
                               [](double x) { return -std::expm1(-x); }),
            1.95);
  EXPECT_LT(kolmogorov_smirnov(sample([](auto i, auto j) { return cauchy_draw(3, f, i, j); }),
                               [](double x) { return 0.5 + std::atan(x) / std::numbers::pi; }),
            1.95);
  EXPECT_LT(kolmogorov_smirnov(sample([](auto i, auto j) { return laplace_draw(3, f, i, j); }),
                               [](double x) { return x < 0 ? 0.5 * std::exp(x) : 1 - 0.5 * std::exp(-x); }),
            1.95);
  for (double shape : {0.25, 0.5, 1.0, 1.5, 2.5, 7.0, 40.0})
    EXPECT_LT(kolmogorov_smirnov(sample([=](auto i, auto j) { return gamma_draw(3, f, shape, i, j); }),
                                 [=](double x) { return gamma_law(shape, x); }),
              1.95)
        << "shape " << shape;
}

TEST(Draw, TheLawTestSeesAFivePercentWrongScale) {
  EXPECT_GT(
      kolmogorov_smirnov(sample([](auto i, auto j) { return 1.05 * normal(3, Draw::frequency, i, j); }), normal_law),
      1.95);
}

// Mean and variance of products of neighbours: 40,000 of them, so 4 standard errors are 0.02.
TEST(Draw, NeighboursAndSeedsAreUncorrelated) {
  const auto mean = [](const std::vector<double>& x) {
    double sum = 0;
    for (double v : x) sum += v;
    return sum / double(x.size());
  };
  constexpr Draw f = Draw::frequency;
  EXPECT_LT(std::fabs(mean(sample([](auto i, auto j) { return normal(5, f, i, j) * normal(5, f, i + 1, j); }))), 0.02);
  EXPECT_LT(std::fabs(mean(sample([](auto i, auto j) { return normal(5, f, i, j) * normal(5, f, i, j + 1); }))), 0.02);
  EXPECT_LT(std::fabs(mean(sample([](auto i, auto j) { return normal(5, f, i, j) * normal(6, f, i, j); }))), 0.02);
  EXPECT_LT(std::fabs(mean(sample([](auto i, auto j) { return normal(5, f, i, j) * normal(5, f, i, j, 1); }))), 0.02);
}

TEST(Draw, GammaOfATinyShapeStaysPositive) {
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const double g = gamma_draw(1, Draw::radius, 1e-3, i);
    EXPECT_GT(g, 0);
    EXPECT_TRUE(std::isnormal(g));
  }
}

}  // namespace
}  // namespace bochner
