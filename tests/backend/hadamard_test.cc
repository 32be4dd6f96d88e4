// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include <bit>

#include "backend/problems.h"

namespace bochner {
namespace {

using testing::for_each_target;
using testing::numbers;

template <class T>
class Hadamard : public ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Hadamard, Numbers);

// The order of additions is the specification's, so every machine finds the same bits.
TYPED_TEST(Hadamard, IsThePlainLoopsToTheBitAtEverySize) {
  using T = TypeParam;
  for_each_target([](const std::string& target) {
    for (std::size_t n = 1; n <= (std::size_t(1) << 17); n *= 2) {
      const std::size_t rows = n <= 1024 ? 3 : 1, stride = n + 5;
      auto expected = numbers<T>(rows * stride, 1), found = expected;
      reference_backend().hadamard(MatrixView<T>{expected.data(), rows, n, stride});
      cpu_backend().hadamard(MatrixView<T>{found.data(), rows, n, stride});
      ASSERT_EQ(found, expected) << target << " " << n;
    }
  });
}

TYPED_TEST(Hadamard, TwiceIsNTimesTheIdentity) {
  using T = TypeParam;
  const std::size_t n = 2048;
  std::vector<T> x(n);
  for (std::size_t j = 0; j < n; ++j) x[j] = T(int(j % 13) - 6);
  auto twice = x;
  for (int times = 0; times < 2; ++times) cpu_backend().hadamard(MatrixView<T>{twice.data(), 1, n, n});
  for (std::size_t j = 0; j < n; ++j) ASSERT_EQ(twice[j], T(n) * x[j]);
}

TYPED_TEST(Hadamard, EntriesAreParitiesOfCommonBits) {
  using T = TypeParam;
  const std::size_t n = 128;
  for (const std::size_t column : {0, 1, 37, 127}) {
    std::vector<T> x(n);
    x[column] = 1;
    cpu_backend().hadamard(MatrixView<T>{x.data(), 1, n, n});
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(x[i], std::popcount(i & column) % 2 ? T(-1) : T(1));
  }
}

}  // namespace
}  // namespace bochner
