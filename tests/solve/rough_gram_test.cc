// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "solve/rough_gram.h"

#include <gtest/gtest.h>

#include "backend/problems.h"

namespace bochner {
namespace {

using Numbers = RoughGram::Numbers;

TiledSymmetric<double> gram_of(const std::vector<float>& values, std::size_t rows, std::size_t cols, std::size_t stride,
                               Numbers numbers, int threads) {
  Threads team(threads);
  TiledSymmetric<double> g(cols, 64);
  RoughGram product(numbers);
  product.add({cpu_backend(), team}, {values.data(), rows, cols, stride}, g);
  product.add({cpu_backend(), team}, {values.data(), rows, cols, stride}, g);
  return g;
}

TEST(RoughGram, AgreesWithPlainSumsAtOddSizes) {
  for (const std::size_t rows : {1, 3, 65, 1030})
    for (const std::size_t cols : {1, 7, 8, 63, 65, 130}) {
      const std::size_t stride = cols + 3;
      const auto values = testing::numbers<float>(rows * stride, 1);
      for (const Numbers of : {Numbers::floats, Numbers::bfloat16, Numbers::whole}) {
        const TiledSymmetric<double> g = gram_of(values, rows, cols, stride, of, 2);
        // Products of numbers of size 1, at most 6, with these errors each at most, at 6 standard deviations.
        const double error = of == Numbers::bfloat16 ? 1 / 256.0 : of == Numbers::whole ? 6.0 / 16256 : 1e-6;
        const double tolerance = 6 * 2 * error * std::sqrt(double(rows)) * 4;
        for (std::size_t i = 0; i < cols; ++i)
          for (std::size_t j = 0; j <= i; ++j) {
            double expected = 0;
            for (std::size_t r = 0; r < rows; ++r)
              expected += 2 * double(values[r * stride + i]) * double(values[r * stride + j]);
            ASSERT_NEAR(g.at(i, j), expected, tolerance) << rows << " " << cols << " " << int(of);
          }
      }
    }
}

// Small whole numbers are bfloat16 already.
TEST(RoughGram, IsExactForNumbersThatNeedNoRounding) {
  std::vector<float> values;
  for (std::size_t i = 0; i < 100 * 70; ++i) values.push_back(float(int(i * 7919 % 31) - 15));
  EXPECT_EQ(gram_of(values, 100, 70, 70, Numbers::bfloat16, 2), gram_of(values, 100, 70, 70, Numbers::floats, 2));
}

TEST(RoughGram, IsTheSameToTheBitForAnyThreads) {
  const auto values = testing::numbers<float>(500 * 200, 1);
  for (const Numbers of : {Numbers::floats, Numbers::bfloat16, Numbers::whole}) {
    const TiledSymmetric<double> one = gram_of(values, 500, 200, 200, of, 1);
    for (const int threads : {2, 3, 7}) EXPECT_EQ(one, gram_of(values, 500, 200, 200, of, threads));
  }
}

// Sums of whole numbers are those of the reference, whichever unit multiplies them, and zeros are no special case.
TEST(RoughGram, OfWholeNumbersIsThatOfPlainLoops) {
  Threads team(2);
  for (const double scale : {0.0, 1e-30, 1.0, 1e30}) {
    std::vector<float> values = testing::numbers<float>(300 * 70, 1);
    for (float& v : values) v *= float(scale);
    TiledSymmetric<double> plain(70, 64), fast(70, 64);
    RoughGram(Numbers::whole).add({reference_backend(), team}, {values.data(), 300, 70, 70}, plain);
    RoughGram(Numbers::whole).add({cpu_backend(), team}, {values.data(), 300, 70, 70}, fast);
    EXPECT_EQ(plain, fast) << scale;
    EXPECT_EQ(fast.at(3, 3) > 0, scale > 0) << scale;
  }
}

}  // namespace
}  // namespace bochner
