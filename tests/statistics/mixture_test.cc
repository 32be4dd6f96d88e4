// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include <cmath>

#include "backend/backend.h"
#include "methods/bins/binning_map.h"
#include "methods/bins/draw_grid.h"

namespace bochner {
namespace {

constexpr double kX[] = {0.2, -1.0, 0.5}, kY[] = {0.5, -0.8, 0.9};

RowBlock<double> both_points(std::vector<double>& values) {
  values.assign(std::begin(kX), std::end(kX));
  values.insert(values.end(), std::begin(kY), std::end(kY));
  RowBlock<double> block;
  block.rows = 2;
  block.cols = block.stride = 3;
  block.values = values.data();
  return block;
}

// z(x).z(y) of a map.
double product(const MapPtr& map) {
  std::vector<double> values;
  const RowBlock<double> block = both_points(values);
  Matrix<double> z(2, map->outputs());
  map->apply(cpu_backend(), block, z.view());
  double sum = 0;
  for (std::size_t j = 0; j < z.cols(); ++j) sum += z(0, j) * z(1, j);
  return sum;
}

// Bins that the two points occupy.
MapPtr binning(const BinningOptions& options) {
  std::vector<double> values;
  const RowBlock<double> block = both_points(values);
  std::vector<std::vector<std::uint64_t>> bins;
  for (std::size_t g = 0; g < options.grids; ++g) {
    std::uint64_t hash[2];
    plain_bin_hashes(block, draw_grid<double>(3, options, g), hash);
    bins.push_back(hash[0] == hash[1] ? std::vector{hash[0]} : std::vector{hash[0], hash[1]});
  }
  return std::make_shared<BinningMap>(3, options, std::move(bins));
}

struct Moments {
  double mean = 0, variance = 0;
  int count = 0;
};

template <class Make>
Moments moments(const Make& make) {
  constexpr int kMaps = 1500;
  double sum = 0, squares = 0;
  for (int m = 0; m < kMaps; ++m) {
    const double value = product(make(std::uint64_t(m) + 1));
    sum += value;
    squares += value * value;
  }
  const double mean = sum / kMaps;
  return {mean, squares / kMaps - mean * mean, kMaps};
}

TEST(MixtureStatistics, FourierAndBinsHaveTheWeightedSumOfTheirKernels) {
  constexpr double w1 = 0.7, w2 = 2.5;
  for (const char* law : {"laplacian", "hat", "reciprocal"}) {
    BinningOptions grids;
    grids.law = parse_pitch_law(law);
    grids.grids = 10;
    const Kernel smooth = gaussian(0.8);
    const Moments found = moments([&](std::uint64_t seed) {
      BinningOptions options = grids;
      options.seed = seed;
      return concat({fourier(3, {.kernel = smooth, .features = 40, .seed = seed}), binning(options)}, {w1, w2});
    });
    const double k1 = kernel_value(smooth, kX, kY), k2 = binning_kernel(grids, kX, kY);
    const double error = std::sqrt(found.variance / found.count);
    EXPECT_NEAR(found.mean, w1 * k1 + w2 * k2, 5 * error) << law;
    // The parts are independent, so their variances add: that of the bins alone is w2^2 k (1 - k) / P.
    const Moments alone = moments([&](std::uint64_t seed) {
      return concat({fourier(3, {.kernel = smooth, .features = 40, .seed = seed})}, {w1});
    });
    const double expected = alone.variance + w2 * w2 * k2 * (1 - k2) / 10;
    EXPECT_NEAR(found.variance, expected, 5 * expected * std::sqrt(3.0 / found.count)) << law;
  }
}

TEST(MixtureStatistics, FrequenciesOfTwoLawsHaveTheWeightedSumOfTheirKernels) {
  const Kernel a = gaussian(0.8), b = laplacian(1.5);
  const Moments found = moments([&](std::uint64_t seed) {
    return concat({fourier(3, {.kernel = a, .features = 40, .seed = seed}),
                   fourier(3, {.kernel = b, .features = 40, .seed = seed + 1000000})},
                  {1.0, 3.0});
  });
  EXPECT_NEAR(found.mean, kernel_value(a, kX, kY) + 3 * kernel_value(b, kX, kY),
              5 * std::sqrt(found.variance / found.count));
}

}  // namespace
}  // namespace bochner
