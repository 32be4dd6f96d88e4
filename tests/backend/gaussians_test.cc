// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/gaussians.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "backend/problems.h"

namespace bochner {
namespace {

using testing::numbers;

template <class T>
Matrix<T> filled(std::size_t rows, std::size_t cols, std::uint32_t seed) {
  Matrix<T> m(rows, cols);
  const std::vector<T> values = numbers<T>(rows * cols, seed);
  std::copy(values.begin(), values.end(), m.data());
  return m;
}

template <class T>
class DiagonalRows : public ::testing::Test {
 public:
  static constexpr double kTolerance = std::is_same_v<T, float> ? 1e-5 : 1e-13;
};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(DiagonalRows, Precisions);

TYPED_TEST(DiagonalRows, SquaresAreThoseOfPlainLoopsAndTheSameOnEveryTarget) {
  using T = TypeParam;
  for (const auto& size : {std::array<std::size_t, 3>{1, 1, 1}, {5, 3, 7}, {4, 32, 16}, {9, 50, 10}, {66, 70, 33}}) {
    const std::size_t rows = size[0], inputs = size[1], count = size[2];
    const Matrix<T> x = filled<T>(rows, inputs, 1), means = filled<T>(count, inputs, 2);
    DiagonalGaussians<T> g(count, inputs);
    for (std::size_t j = 0; j < inputs; ++j) {
      g.origin[j] = T(0.25 * double(j % 5));
      for (std::size_t k = 0; k < count; ++k) g.set(k, j, double(means(k, j)), 0.5 + double(j % 3));
    }
    Matrix<double> before;
    const std::size_t first = count / 3;
    testing::for_each_target([&](const std::string& target) {
      Matrix<double> found(rows, count - first);
      diagonal_squares(x.view(), g, first, found.view());
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t k = 0; k < found.cols(); ++k) {
          double expected = 0;
          for (std::size_t j = 0; j < inputs; ++j)
            expected += std::pow((double(x(i, j)) - double(means(first + k, j))) * (0.5 + double(j % 3)), 2);
          ASSERT_NEAR(found(i, k), expected, TestFixture::kTolerance * (1 + expected)) << target;
          if (before.rows() > 0 && testing::fuses(target)) {
            ASSERT_EQ(found(i, k), before(i, k)) << target;
          }
        }
      if (testing::fuses(target)) before = std::move(found);
    });
  }
}

TYPED_TEST(DiagonalRows, MomentsAreThoseOfPlainLoopsAndTheSameOnEveryTarget) {
  using T = TypeParam;
  for (const std::size_t inputs : {1, 15, 16, 50, 131}) {
    const std::size_t stride = (inputs + kMomentColumns - 1) / kMomentColumns * kMomentColumns;
    Matrix<T> x(kMomentRows, stride), center(1, stride);
    for (std::size_t j = 0; j < inputs; ++j) {
      center(0, j) = T(0.1 * double(j));
      for (std::size_t i = 0; i < kMomentRows; ++i) x(i, j) = numbers<T>(1, std::uint32_t(i * 1000 + j))[0];
    }
    std::vector<std::uint32_t> at;
    std::vector<T> shares;
    for (std::size_t i = 0; i < kMomentRows; i += 1 + i % 3) {
      at.push_back(std::uint32_t(i));
      shares.push_back(T(1) / T(1 + i));
    }
    std::vector<double> before;
    testing::for_each_target([&](const std::string& target) {
      std::vector<double> found(2 * stride, 1.0);  // what was there stays
      add_moments(SharedRows<T>{.x = {x.data(), kMomentRows, inputs, stride},
                                .at = at.data(),
                                .shares = shares.data(),
                                .count = at.size()},
                  center.data(), found.data(), found.data() + stride);
      for (std::size_t j = 0; j < inputs; ++j) {
        double first = 1, second = 1;
        for (std::size_t i = 0; i < at.size(); ++i) {
          const double t = double(x(at[i], j)) - double(center(0, j));
          first += double(shares[i]) * t;
          second += double(shares[i]) * t * t;
        }
        ASSERT_NEAR(found[j], first, TestFixture::kTolerance * (1 + second)) << target;
        ASSERT_NEAR(found[stride + j], second, TestFixture::kTolerance * (1 + second)) << target;
      }
      if (!before.empty() && testing::fuses(target)) {
        ASSERT_EQ(found, before) << target;
      }
      if (testing::fuses(target)) before = std::move(found);
    });
  }
}

TYPED_TEST(DiagonalRows, SharesAreThoseOfPlainLoopsAndTheSameOnEveryTarget) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const auto& size : {std::array<std::size_t, 2>{1, 1}, {7, 3}, {8, 10}, {33, 17}}) {
    const std::size_t rows = size[0], count = size[1];
    Matrix<double> joint = filled<double>(rows, count, 3);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t m = 0; m < count; ++m) joint(i, m) = 1000 + 9 * joint(i, m) * double(i % 4);
    for (std::size_t m = 0; m < count; ++m) joint(rows - 1, m) = -kInfinity;  // all out of range
    if (count > 1) joint(0, 1) = -kInfinity;
    std::vector<double> before;
    testing::for_each_target([&](const std::string& target) {
      Matrix<double> found = joint;
      std::vector<double> log_sums(rows);
      joint_to_shares<TypeParam>(found.view(), log_sums.data());
      for (std::size_t i = 0; i < rows; ++i) {
        double most = -kInfinity, sum = 0;
        for (std::size_t m = 0; m < count; ++m) most = std::max(most, joint(i, m));
        if (!std::isfinite(most)) {
          ASSERT_EQ(log_sums[i], most);
          for (std::size_t m = 0; m < count; ++m) ASSERT_EQ(found(i, m), 0);
          continue;
        }
        for (std::size_t m = 0; m < count; ++m) sum += std::exp(joint(i, m) - most);
        constexpr bool kFloat = std::is_same_v<TypeParam, float>;
        const double exponentials = kFloat ? 2e-7 : 1e-14;
        ASSERT_NEAR(log_sums[i], most + std::log(sum), kFloat ? exponentials : 1e-12) << target;
        for (std::size_t m = 0; m < count; ++m) {
          const double share = std::exp(joint(i, m) - most) / sum;
          ASSERT_NEAR(found(i, m), share < 0x1p-36 ? 0 : share, exponentials) << target;
        }
      }
      log_sums.insert(log_sums.end(), found.data(), found.data() + rows * count);
      if (!before.empty() && testing::fuses(target)) {
        ASSERT_EQ(log_sums, before) << target;
      }
      if (testing::fuses(target)) before = std::move(log_sums);
    });
  }
}

}  // namespace
}  // namespace bochner
