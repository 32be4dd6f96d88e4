// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/signs.h"

#include <gtest/gtest.h>

#include "backend/problems.h"

namespace bochner {
namespace {

using testing::for_each_target;

template <class T>
class Signs : public ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Signs, Numbers);

TYPED_TEST(Signs, AgreeWithReferenceAtOddSizes) {
  using T = TypeParam;
  for_each_target([](const std::string& target) {
    for (const std::size_t cols : {1, 3, 16, 63, 64, 65, 200}) {
      const std::size_t rows = 3, words = sign_words(cols) + 1, stride = cols + 2;
      std::vector<std::uint64_t> bits(rows * words), same(rows * words);
      cpu_backend().sign_bits(7, 100, rows, 4, words, bits.data());
      reference_backend().sign_bits(7, 100, rows, 4, words, same.data());
      ASSERT_EQ(bits, same);
      std::vector<T> expected(rows * stride, T(9)), found = expected;
      reference_backend().expand_signs(bits.data(), words, T(0.3), MatrixView<T>{expected.data(), rows, cols, stride});
      cpu_backend().expand_signs(bits.data(), words, T(0.3), MatrixView<T>{found.data(), rows, cols, stride});
      ASSERT_EQ(found, expected) << target << " " << cols;
    }
  });
}

TEST(SignBits, AreTheSameFromAnyWordOn) {
  std::vector<std::uint64_t> all(9), rest(5);
  cpu_backend().sign_bits(1, 5, 1, 0, 9, all.data());
  cpu_backend().sign_bits(1, 5, 1, 4, 5, rest.data());
  EXPECT_TRUE(std::equal(rest.begin(), rest.end(), all.begin() + 4));
}

}  // namespace
}  // namespace bochner
