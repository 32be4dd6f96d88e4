// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/nearest_codes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "backend/problems.h"

namespace bochner {
namespace {

// Rows of bytes between the ends that their number of inputs allows, both of which occur.
std::vector<std::int8_t> codes(std::size_t rows, std::size_t inputs, unsigned seed) {
  std::mt19937 generator(seed);
  const int largest = SignedCodes::largest(inputs);
  std::vector<std::int8_t> values(rows * SignedCodes::depth_of(inputs));
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < inputs; ++j) {
      const int drawn = int(generator() % unsigned(2 * largest + 1)) - largest;
      values[i * SignedCodes::depth_of(inputs) + j] = std::int8_t(i == 0 ? largest : i == 1 ? -largest : drawn);
    }
  return values;
}

TEST(NearestCodes, AreTheFirstOfAllInOrderByEveryUnit) {
  constexpr std::uint32_t kFirst = 1000;
  for (const std::size_t inputs : {1, 2, 15, 16, 17, 64, 300, 784, 5000})
    for (const std::size_t count : {1, 15, 16, 17, 50}) {
      constexpr std::size_t kRows = 6, kKeep = 7;
      const std::vector<std::int8_t> x = codes(kRows, inputs, 1), y = codes(count, inputs, 2);
      const SignedCodes rows{x.data(), kRows, SignedCodes::depth_of(inputs)}, points{y.data(), count, rows.depth};
      std::vector<std::uint32_t> self(kRows, kFirst);
      std::vector<float> expected(kRows * kKeep, std::numeric_limits<float>::infinity());
      std::vector<std::uint32_t> numbers(kRows * kKeep, kNoPoint);
      for (std::size_t i = 0; i < kRows; ++i)
        for (std::size_t c = 1; c < count; ++c) {
          std::int64_t squares = 0, product = 0;
          for (std::size_t j = 0; j < rows.depth; ++j) {
            squares += points.row(c)[j] * points.row(c)[j];
            product += rows.row(i)[j] * points.row(c)[j];
          }
          ASSERT_LT(std::abs(squares / 2 - product), 1 << 24);
          offer_point(float(squares / 2 - product), std::uint32_t(kFirst + c), kKeep, &expected[i * kKeep],
                      &numbers[i * kKeep]);
        }
      for (const CodeUnit* unit : code_units()) {
        if (!unit->available()) continue;
        const CodePanels panels(points, *unit);
        testing::for_each_target([&](const std::string& target) {
          std::vector<float> values(kRows * kKeep, std::numeric_limits<float>::infinity());
          std::vector<std::uint32_t> found(kRows * kKeep, kNoPoint);
          nearest_codes(rows, panels, kFirst, self.data(), {kKeep, values.data(), found.data()});
          EXPECT_EQ(values, expected) << unit->name << " " << target << " " << inputs << " x " << count;
          EXPECT_EQ(found, numbers) << unit->name << " " << target << " " << inputs << " x " << count;
        });
      }
    }
}

// A row meets points that are few apart: many are equal.
TEST(NearCodes, AreTheSameInNoOrderByEveryUnit) {
  constexpr std::size_t kRows = 9, kKeep = 7, kPoints = 300, kDepth = SignedCodes::kDepth;
  const std::vector<std::int8_t> x = codes(kRows, 3, 1), y = codes(kPoints, 3, 2);  // few inputs: many are equal
  const SignedCodes rows{x.data(), kRows, kDepth};
  std::vector<std::uint32_t> self(kRows);
  for (std::size_t i = 0; i < kRows; ++i) self[i] = std::uint32_t(20 * i);
  const std::vector<std::uint32_t> some{0, 2, 3, 4, 5, 8};
  for (const CodeUnit* unit : code_units()) {
    if (!unit->available()) continue;
    testing::for_each_target([&](const std::string& target) {
      std::vector<float> expected(kRows * kKeep, std::numeric_limits<float>::infinity()), values = expected;
      std::vector<std::uint32_t> numbers(kRows * kKeep, kNoPoint), found = numbers;
      NearCodes near(kRows, kKeep);
      for (std::size_t begin = 0; begin < kPoints; begin += 50) {
        const CodePanels panels({y.data() + begin * kDepth, 50, kDepth}, *unit);
        nearest_codes(rows, panels, std::uint32_t(begin), self.data(), {kKeep, expected.data(), numbers.data()});
        near.meet(rows, some, panels, std::uint32_t(begin), self.data());
      }
      for (const std::size_t i : some) {
        near.best_of(i, &values[i * kKeep], &found[i * kKeep]);
        const auto row = std::ptrdiff_t(i * kKeep), end = std::ptrdiff_t((i + 1) * kKeep);
        std::sort(values.begin() + row, values.begin() + end);
        EXPECT_TRUE(std::equal(values.begin() + row, values.begin() + end, expected.begin() + row))
            << unit->name << " " << target << " " << i;
        // Points come by their numbers: of equal ones the lowest stay.
        EXPECT_TRUE(std::is_permutation(found.begin() + row, found.begin() + end, numbers.begin() + row))
            << unit->name << " " << target << " " << i;
      }
    });
  }
}

TEST(NearCodes, OfFewPointsAreAll) {
  const std::vector<std::int8_t> x = codes(2, 5, 1), y = codes(3, 5, 2);
  NearCodes near(2, 7);
  near.meet({x.data(), 2, 16}, std::vector<std::uint32_t>{1}, CodePanels({y.data(), 3, 16}), 10, nullptr);
  std::vector<float> values(7);
  std::vector<std::uint32_t> numbers(7, kNoPoint);
  near.best_of(1, values.data(), numbers.data());
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{10, 11, 12, kNoPoint, kNoPoint, kNoPoint, kNoPoint}));
  near.best_of(0, values.data(), numbers.data() + 3);
  EXPECT_EQ(numbers[3], kNoPoint);
}

}  // namespace
}  // namespace bochner
