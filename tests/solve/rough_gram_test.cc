// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "solve/rough_gram.h"

#include <gtest/gtest.h>

#include "backend/problems.h"

namespace bochner {
namespace {

TiledSymmetric<double> gram_of(const std::vector<float>& values, std::size_t rows, std::size_t cols, std::size_t stride,
                               bool rounded, int threads) {
  Threads team(threads);
  TiledSymmetric<double> g(cols, 64);
  RoughGram product(rounded);
  product.add({cpu_backend(), team}, {values.data(), rows, cols, stride}, g);
  product.add({cpu_backend(), team}, {values.data(), rows, cols, stride}, g);
  return g;
}

TEST(RoughGram, AgreesWithPlainSumsAtOddSizes) {
  for (const std::size_t rows : {1, 3, 65, 1030})
    for (const std::size_t cols : {1, 7, 8, 63, 65, 130}) {
      const std::size_t stride = cols + 3;
      const auto values = testing::numbers<float>(rows * stride, 1);
      for (const bool rounded : {false, true}) {
        const TiledSymmetric<double> g = gram_of(values, rows, cols, stride, rounded, 2);
        // Products of numbers of size 1 with errors of 2^-8 each at most, at 6 standard deviations.
        const double tolerance = (rounded ? 6 * 2 / 256.0 : 1e-5) * std::sqrt(double(rows)) * 4;
        for (std::size_t i = 0; i < cols; ++i)
          for (std::size_t j = 0; j <= i; ++j) {
            double expected = 0;
            for (std::size_t r = 0; r < rows; ++r)
              expected += 2 * double(values[r * stride + i]) * double(values[r * stride + j]);
            ASSERT_NEAR(g.at(i, j), expected, tolerance) << rows << " " << cols << " " << rounded;
          }
      }
    }
}

// Small whole numbers are bfloat16 already.
TEST(RoughGram, IsExactForNumbersThatNeedNoRounding) {
  std::vector<float> values;
  for (std::size_t i = 0; i < 100 * 70; ++i) values.push_back(float(int(i * 7919 % 31) - 15));
  EXPECT_EQ(gram_of(values, 100, 70, 70, true, 2), gram_of(values, 100, 70, 70, false, 2));
}

TEST(RoughGram, IsTheSameToTheBitForAnyThreads) {
  const auto values = testing::numbers<float>(500 * 200, 1);
  for (const bool rounded : {false, true}) {
    const TiledSymmetric<double> one = gram_of(values, 500, 200, 200, rounded, 1);
    for (const int threads : {2, 3, 7}) EXPECT_EQ(one, gram_of(values, 500, 200, 200, rounded, threads));
  }
}

}  // namespace
}  // namespace bochner
