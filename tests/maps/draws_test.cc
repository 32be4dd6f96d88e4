// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Ways to draw the frequencies of Fourier features, against the kernel and against independent ones.

#include <gtest/gtest.h>

#include <cmath>

#include "backend/problems.h"
#include "base/archive.h"
#include "maps/fourier.h"
#include "maps/load.h"

namespace bochner {
namespace {

using Draw = FourierOptions::Draw;
using Form = FourierOptions::Form;
using testing::Block;

template <class T>
std::vector<T> mapped(const Map& map, const RowBlock<T>& x) {
  std::vector<T> z(x.rows * map.outputs());
  map.apply(cpu_backend(), x, {z.data(), x.rows, map.outputs(), map.outputs()});
  return z;
}

struct Errors {
  double mean, mean_deviation, square;  // moments of z.z - k over pairs of rows and seeds
};

Errors errors(const Kernel& kernel, Form form, Draw draw, std::size_t d) {
  const std::size_t D = 128, n = 6, seeds = 60;
  const Block<double> x(n, d, 3);
  std::vector<double> means;
  double square = 0;
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    const MapPtr map = fourier(d, {.kernel = kernel, .features = D, .form = form, .seed = seed, .draw = draw});
    const std::vector<double> z = mapped(*map, x.dense);
    double sum = 0, pairs = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j, ++pairs) {
        double dot = 0;
        for (std::size_t f = 0; f < D; ++f) dot += z[i * D + f] * z[j * D + f];
        const double error = dot - kernel_value(kernel, {x.values.data() + i * d, d}, {x.values.data() + j * d, d});
        sum += error;
        square += error * error / double(seeds * n * (n - 1) / 2);
      }
    means.push_back(sum / pairs);
  }
  double mean = 0, variance = 0;
  for (const double m : means) mean += m / double(seeds);
  for (const double m : means) variance += (m - mean) * (m - mean) / double(seeds - 1);
  return {mean, std::sqrt(variance / double(seeds)), square};
}

// d = 20 is padded to 32, d = 32 is not.
TEST(Draws, AreUnbiasedAndVaryLessThanIndependentOnes) {
  for (const std::size_t d : {20, 32})
    for (Kernel kernel : {gaussian(), matern(1.5), rational_quadratic(1), laplacian2()})
      for (const Form form : {Form::cossin, Form::shifted}) {
        kernel.length_scales = {std::sqrt(double(d))};
        const Errors independent = errors(kernel, form, Draw::independent, d);
        for (const Draw draw : {Draw::orthogonal, Draw::structured, Draw::quasi}) {
          const Errors found = errors(kernel, form, draw, d);
          const std::string where = kernel_name(kernel) + " " + draw_name(draw) + " " + std::to_string(d);
          EXPECT_NEAR(found.mean, 0, 4.5 * found.mean_deviation + 2e-3) << where;
          // Shifted cosines and lengths of heavy tails vary by themselves: little is won there.
          EXPECT_LT(found.square, (form == Form::cossin && kernel.family == Kernel::Family::gaussian ? 0.9 : 1.25) *
                                      independent.square)
              << where;
        }
      }
}

template <class T>
class Structured : public ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Structured, Numbers);

TYPED_TEST(Structured, IsTheSameForDenseAndSparseRowsAndEveryBlock) {
  using T = TypeParam;
  for (const std::size_t d : {1, 3, 64, 100})
    for (const Form form : {Form::cossin, Form::shifted}) {
      const Block<T> x(9, d, 1);
      Kernel kernel = matern(2.5);
      kernel.length_scales.assign(d, 2.0);
      kernel.length_scales[0] = 0.5;
      const MapPtr map =
          fourier(d, {.kernel = kernel, .features = 150, .form = form, .seed = 4, .draw = Draw::structured});
      const std::vector<T> z = mapped(*map, x.dense);
      ASSERT_EQ(mapped(*map, x.sparse), z);
      const std::vector<T> part = mapped(*map, x.dense.slice(4, 2));
      ASSERT_TRUE(std::equal(part.begin(), part.end(), z.begin() + 4 * 150));
      for (const T value : z) ASSERT_LE(std::abs(value), T(map->bound() * 1.0001));
    }
}

// Straight from the formula: frequencies found from features of unit vectors agree with those of a whole row.
TEST(Structured, IsAWavePerFrequencyAndLinearInside) {
  const std::size_t d = 12, F = 40;
  const MapPtr map = fourier(d, {.kernel = gaussian(3), .features = 2 * F, .seed = 8, .draw = Draw::structured});
  Matrix<double> x(d + 1, d);
  for (std::size_t j = 0; j < d; ++j) {
    x(j, j) = 0.1;
    x(d, j) = 0.1 * (double(j % 5) - 2);
  }
  const std::vector<double> z = mapped(*map, RowBlock<double>::dense(x.view()));
  for (std::size_t f = 0; f < F; ++f) {
    double angle = 0;
    for (std::size_t j = 0; j < d; ++j)
      angle += (double(j % 5) - 2) * std::atan2(z[j * 2 * F + F + f], z[j * 2 * F + f]);
    EXPECT_NEAR(z[d * 2 * F + f], std::cos(angle) / std::sqrt(double(F)), 1e-10);
    EXPECT_NEAR(z[d * 2 * F + F + f], std::sin(angle) / std::sqrt(double(F)), 1e-10);
  }
}

TEST(Structured, KeepsNothingAndIsSavedByItsWords) {
  for (const Draw draw : {Draw::structured, Draw::quasi}) {
    const MapPtr map = fourier(30, {.kernel = gaussian(3), .features = 64, .seed = 2, .draw = draw});
    Archive archive;
    map->save(archive);
    EXPECT_TRUE(archive.arrays.empty());
    const Block<float> x(5, 30, 1);
    EXPECT_EQ(mapped(*load_map(archive), x.dense), mapped(*map, x.dense));
  }
  EXPECT_THROW(fourier(3, {.kernel = laplacian(), .draw = Draw::structured}), std::invalid_argument);
}

TEST(Structured, HugeInputsCountAsAngleZero) {
  const MapPtr map = fourier(4, {.kernel = gaussian(), .features = 8, .draw = Draw::structured});
  const std::vector<float> x = {3e38f, -3e38f, 3e38f, 1};
  const std::vector<float> z = mapped(*map, RowBlock<float>::dense({x.data(), 1, 4, 4}));
  for (const float value : z) EXPECT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace bochner
