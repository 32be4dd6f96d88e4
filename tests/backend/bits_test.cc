// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/bits.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "backend/place_point.h"
#include "backend/problems.h"

namespace bochner {
namespace {

struct Bits {
  Bits(std::size_t rows, std::size_t cols, unsigned seed)
      : cols(cols), numbers(rows * cols), packed(rows * BitRows::stride_of(cols), 0xff) {
    std::mt19937 generator(seed);
    for (float& number : numbers) number = float(generator() >> 7 & 1);
    std::fill_n(numbers.begin(), cols, 0.0f);                            // as far apart as
    if (rows > 1) std::fill_n(numbers.begin() + int(cols), cols, 1.0f);  // two rows can be
    for (std::size_t i = 0; i < rows; ++i)
      pack_bits(numbers.data() + i * cols, cols, packed.data() + i * BitRows::stride_of(cols));
    view = {packed.data(), rows, BitRows::stride_of(cols)};
  }
  std::uint32_t differ(std::size_t i, const Bits& other, std::size_t j) const {
    std::uint32_t sum = 0;
    for (std::size_t c = 0; c < cols; ++c) sum += numbers[i * cols + c] != other.numbers[j * cols + c];
    return sum;
  }

  std::size_t cols;
  std::vector<float> numbers;
  std::vector<std::uint8_t> packed;
  BitRows view;
};

constexpr std::size_t kWidths[] = {1, 8, 63, 64, 65, 127, 128, 129, 500, 784, 5000, 40000};

TEST(BitDistances, AreThePlainCountsOnEveryTarget) {
  for (const std::size_t cols : kWidths) {
    const Bits bits(7, cols, unsigned(cols));
    const std::vector<std::uint32_t> at{1, 0, 2, 6, 5, 5, 4};
    for (const std::size_t x : {0u, 3u}) {
      std::vector<std::uint32_t> expected;
      for (const std::uint32_t place : at) expected.push_back(bits.differ(x, bits, place));
      testing::for_each_target([&](const std::string& target) {
        std::vector<std::uint32_t> found(at.size());
        bit_distances(bits.view.row(x), bits.view, at, found.data());
        EXPECT_EQ(found, expected) << target << " " << cols;
      });
    }
  }
}

TEST(NearestBits, AreTheFirstOfAllInOrderOnEveryTarget) {
  constexpr std::uint32_t kFirst = 1000;
  for (const std::size_t cols : kWidths)
    for (const std::size_t points : {1, 3, 130, 301}) {
      const Bits x(5, cols, 1), y(points, cols, 2);
      const std::size_t keep = 4;
      const std::vector<std::uint32_t> self{kFirst, kFirst + 2, kNoPoint, kNoPoint, kFirst + 129};
      std::vector<float> values(5 * keep, std::numeric_limits<float>::infinity());
      std::vector<std::uint32_t> numbers(5 * keep, kNoPoint);
      for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = 0; j < points; ++j)
          if (self[i] != kFirst + j)
            offer_point(float(x.differ(i, y, j)), kFirst + std::uint32_t(j), keep, &values[i * keep],
                        &numbers[i * keep]);
      testing::for_each_target([&](const std::string& target) {
        std::vector<float> found(5 * keep, std::numeric_limits<float>::infinity());
        std::vector<std::uint32_t> named(5 * keep, kNoPoint);
        nearest_bits(x.view, y.view, kFirst, self.data(), {keep, found.data(), named.data()});
        EXPECT_EQ(found, values) << target << " " << cols;
        EXPECT_EQ(named, numbers) << target << " " << cols;
      });
    }
}

}  // namespace
}  // namespace bochner
