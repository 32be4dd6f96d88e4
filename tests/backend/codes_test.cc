// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/codes.h"

#include <gtest/gtest.h>

#include <random>

#include "backend/place_point.h"
#include "backend/problems.h"

namespace bochner {
namespace {

TEST(CodeDistances, AreThePlainSumsOnEveryTarget) {
  std::mt19937 generator(3);
  for (const std::size_t width :
       {std::size_t(32), std::size_t(64), std::size_t(96), std::size_t(800), CodeRows::kMost}) {
    std::vector<std::uint8_t> values(5 * width);
    for (std::uint8_t& value : values) value = std::uint8_t(generator());
    std::fill_n(values.begin() + std::ptrdiff_t(3 * width), width, std::uint8_t(0));    // as far apart as
    std::fill_n(values.begin() + std::ptrdiff_t(4 * width), width, std::uint8_t(255));  // two rows can be
    const CodeRows rows{values.data(), width};
    const std::vector<std::uint32_t> at{4, 0, 2, 3, 1, 1};
    for (const std::size_t x : {0u, 3u}) {
      std::vector<std::uint32_t> expected;
      for (const std::uint32_t place : at) {
        std::uint32_t sum = 0;
        for (std::size_t j = 0; j < width; ++j) {
          const int apart = int(rows.row(x)[j]) - int(rows.row(place)[j]);
          sum += std::uint32_t(apart * apart);
        }
        expected.push_back(sum);
      }
      testing::for_each_target([&](const std::string& target) {
        std::vector<std::uint32_t> found(at.size());
        code_distances(rows.row(x), rows, at, found.data());
        EXPECT_EQ(found, expected) << target << " " << width;
      });
    }
  }
}

TEST(PlacePoint, DoesWhatOfferPointDoes) {
  std::mt19937 generator(5);
  for (const std::size_t keep : {0, 1, 2, 7, 64}) {
    std::vector<float> values(keep, std::numeric_limits<float>::infinity()), others = values;
    std::vector<std::uint32_t> numbers(keep, kNoPoint), other_numbers = numbers;
    for (int i = 0; i < 500; ++i) {
      const auto value = i % 50 == 49 ? std::numeric_limits<float>::quiet_NaN() : float(generator() % 40);
      const auto number = std::uint32_t(generator() % 60);
      offer_point(value, number, keep, values.data(), numbers.data());
      place_point(value, number, keep, others.data(), other_numbers.data());
      ASSERT_EQ(values, others);
      ASSERT_EQ(numbers, other_numbers);
    }
  }
}

}  // namespace
}  // namespace bochner
