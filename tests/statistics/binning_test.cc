// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/binning.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "methods/bins/draw_grid.h"
#include "methods/bins/pitch.h"

namespace bochner {
namespace {

// The kernel of any pitch law by quadrature of draws' definition: k(t) = E max(0, 1 - t / pitch).
struct NamedLaw {
  const char* name;
  BinningOptions options;
};

std::vector<NamedLaw> laws() {
  std::vector<NamedLaw> all;
  for (const char* name : {"laplacian", "reciprocal", "hat", "log-uniform"}) {
    BinningOptions options;
    options.law = parse_pitch_law(name);
    all.push_back({name, options});
  }
  std::vector<double> t, k;
  for (int i = 0; i <= 60; ++i) {
    t.push_back(0.1 * i);
    k.push_back(std::exp(-std::sqrt(t.back())));  // convex: a kernel no built-in law has
  }
  BinningOptions table;
  table.law = pitch_table(t, k);
  all.push_back({"table", table});
  return all;
}

// x.y of the features is the mean over P grids of an indicator with probability k: its mean is k and its
// variance k (1 - k) / P. Both are tested over many maps, to five standard errors.
void expect_unbiased(const BinningOptions& base, const std::vector<double>& x, const std::vector<double>& y,
                     const std::string& what) {
  constexpr int kMaps = 400, kGrids = 50;
  const double k = binning_kernel(base, x, y);
  double sum = 0, squares = 0;
  for (int map = 0; map < kMaps; ++map) {
    BinningOptions options = base;
    options.seed = std::uint64_t(map) + 1;
    int shared = 0;
    for (int g = 0; g < kGrids; ++g) {
      const auto grid = draw_grid<double>(x.size(), options, std::uint64_t(g));
      RowBlock<double> both;
      std::vector<double> rows(x);
      rows.insert(rows.end(), y.begin(), y.end());
      both.rows = 2;
      both.cols = both.stride = x.size();
      both.values = rows.data();
      std::uint64_t hash[2];
      plain_bin_hashes(both, grid, hash);
      shared += hash[0] == hash[1];
    }
    const double product = double(shared) / kGrids;
    sum += product;
    squares += (product - k) * (product - k);
  }
  const double variance = k * (1 - k) / kGrids;
  EXPECT_NEAR(sum / kMaps, k, 5 * std::sqrt(variance / kMaps) + 1e-12) << what << " k = " << k;
  // Var of a squared deviation: fourth central moment of a binomial less the variance squared.
  const double fourth = variance * variance * (3 + (1 / (k * (1 - k) + 1e-300) - 6) / kGrids);
  EXPECT_NEAR(squares / kMaps, variance, 5 * std::sqrt(std::max(0.0, fourth - variance * variance) / kMaps) + 1e-12)
      << what << " k = " << k;
}

TEST(BinningStatistics, ProductsAreUnbiasedWithTheVarianceOfTheClosedForm) {
  for (const NamedLaw& law : laws()) {
    for (const double t : {0.02, 0.1, 0.3, 0.9}) expect_unbiased(law.options, {1.5}, {1.5 + t}, law.name);
    expect_unbiased(law.options, {0.2, -3, 7}, {0.25, -3.1, 7.02}, law.name);
  }
}

TEST(BinningStatistics, LengthScalesDivideTheDistanceOfTheirInput) {
  BinningOptions options;
  options.length_scales = {0.5, 4};
  EXPECT_NEAR(binning_kernel(options, std::vector{0.0, 0.0}, std::vector{0.25, 1.0}), std::exp(-0.75), 1e-12);
  expect_unbiased(options, {0, 0}, {0.25, 1}, "scaled");
}

TEST(BinningStatistics, LowOrderGridsMixProductsOverSubsets) {
  BinningOptions options;
  options.order_low = 1;
  options.order_high = 2;
  // Mean over the orders 1 and 2 of the mean product over the subsets of that order.
  const double a = std::exp(-0.1), b = std::exp(-0.7), c = std::exp(-2.0);
  const double expected = 0.5 * ((a + b + c) / 3 + (a * b + a * c + b * c) / 3);
  EXPECT_NEAR(binning_kernel(options, std::vector{0.0, 0.0, 0.0}, std::vector{0.1, 0.7, 2.0}), expected, 1e-12);
  expect_unbiased(options, {0, 0, 0}, {0.1, 0.7, 2}, "order 1-2");
  options.groups = {0, 1, 1};
  EXPECT_NEAR(binning_kernel(options, std::vector{0.0, 0.0, 0.0}, std::vector{0.1, 0.7, 2.0}),
              0.5 * ((a + b * c) / 2 + a * b * c), 1e-12);
  expect_unbiased(options, {0, 0, 0}, {0.1, 0.7, 2}, "grouped");
}

TEST(PitchLaw, KernelIsTheMixtureOfHatsOfItsPitches) {
  constexpr int kDraws = 200000;
  for (const NamedLaw& law : laws()) {
    for (const double t : {0.03, 0.2, 0.7, 2.0}) {
      double sum = 0, squares = 0;
      for (int i = 0; i < kDraws; ++i) {
        const double hat = std::max(0.0, 1 - t / draw_pitch(law.options.law, 9, std::uint64_t(i), 0));
        sum += hat;
        squares += hat * hat;
      }
      const double mean = sum / kDraws, error = std::sqrt(std::max(0.0, squares / kDraws - mean * mean) / kDraws);
      EXPECT_NEAR(pitch_kernel(law.options.law, t), mean, 5 * error + 1e-9) << law.name << " t = " << t;
    }
  }
}

TEST(PitchLaw, TableIsExactAtItsPointsAndRunsOnToZero) {
  const std::vector<double> t{0, 1, 2, 4}, k{1, 0.5, 0.25, 0.1};
  const PitchLaw law = pitch_table(t, k);
  for (std::size_t i = 0; i < t.size(); ++i) EXPECT_NEAR(pitch_kernel(law, t[i]), k[i], 1e-12);
  EXPECT_NEAR(pitch_kernel(law, 3), 0.175, 1e-12);
  EXPECT_NEAR(pitch_kernel(law, 4 + 0.1 / 0.075), 0, 1e-12);
  EXPECT_NEAR(pitch_kernel(law, 100), 0, 0);
}

TEST(PitchLaw, RefusesKernelsThatAreNoMixtureOfHats) {
  const auto refuses = [](std::vector<double> t, std::vector<double> k) {
    EXPECT_THROW(pitch_table(t, k), std::invalid_argument);
  };
  refuses({0, 1, 2}, {1, 0.9, 0});    // bends the wrong way, as a gaussian does at 0
  refuses({0, 1}, {0.5, 0});          // k(0) must be 1
  refuses({0, 1, 1}, {1, 0.5, 0});    // points must ascend
  refuses({0, 1, 2}, {1, 0.5, 0.6});  // must fall
  refuses({0}, {1});
  EXPECT_THROW(parse_pitch_law("gaussian"), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
