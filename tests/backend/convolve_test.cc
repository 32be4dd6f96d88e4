// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/convolve.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "backend/problems.h"

namespace bochner {
namespace {

template <class T>
class Convolutions : public ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Convolutions, Numbers);

template <class T>
std::vector<T> circle(std::size_t size) {
  std::vector<T> turns(size / 2 * 2);
  for (std::size_t k = 0; k < size / 2; ++k) {
    turns[k] = T(std::cos(2 * std::numbers::pi * double(k) / double(size)));
    turns[size / 2 + k] = T(std::sin(2 * std::numbers::pi * double(k) / double(size)));
  }
  return turns;
}

TYPED_TEST(Convolutions, AreThoseOfPlainLoopsAndTheSameOnEveryTarget) {
  using T = TypeParam;
  constexpr std::size_t kRows = kConvolvedRows<T>;
  for (const std::size_t size : {1, 2, 4, 64, 256})
    for (const std::size_t count : {1, 2, 3}) {
      const std::vector<T> given = testing::numbers<T>(count * size * kRows, 1);
      const auto entry = [&](std::size_t k, std::size_t a, std::size_t row) {
        return double(given[(k * size + convolved_line(a, size)) * kRows + row]);
      };
      std::vector<T> before;
      testing::for_each_target([&](const std::string& target) {
        std::vector<T> found = given;
        convolve<T>(found.data(), count, size, circle<T>(size).data());
        found.resize(size * kRows);
        for (std::size_t row = 0; row < kRows; row += 3) {
          std::vector<double> product(size);
          product[0] = std::exp2(double(count)) * double(size);
          for (std::size_t k = 0; k < count; ++k) {
            std::vector<double> next(size);
            for (std::size_t a = 0; a < size; ++a)
              for (std::size_t b = 0; b < size; ++b) next[(a + b) % size] += product[a] * entry(k, b, row);
            product = next;
          }
          const double scale = std::pow(2 * std::sqrt(double(size)), double(count)) * double(size);
          for (std::size_t f = 0; f < size; ++f)
            ASSERT_NEAR(found[convolved_line(f, size) * kRows + row], product[f],
                        30 * scale * std::numeric_limits<T>::epsilon())
                << target << " size " << size << " count " << count << " row " << row;
        }
        if (!testing::fuses(target)) return;
        if (!before.empty()) {
          EXPECT_EQ(found, before) << target;
        }
        before = found;
      });
    }
}

}  // namespace
}  // namespace bochner
