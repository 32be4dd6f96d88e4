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

// Batches of counters begin and end within rows, and rows that are asked for come in any order.
TEST(SignBits, OfAnyRowsAreTheirDraws) {
  for_each_target([](const std::string& target) {
    for (const std::size_t count : {1, 3, 100})
      for (const std::size_t words : {1, 2, 3, 4, 5, 131}) {
        std::vector<std::uint32_t> index(count);
        for (std::size_t i = 0; i < count; ++i) index[i] = std::uint32_t(4294967295u - 77777777u * i);
        std::vector<std::uint64_t> bits(count * words + 1, 5);
        draw_sign_bits(0x123456789abcdefu, DrawnRows{index.data(), 0, count}, 2, words, bits.data());
        EXPECT_EQ(bits.back(), 5u);
        for (std::size_t i = 0; i < count; ++i)
          for (std::size_t w = 0; w < words; ++w) {
            const DrawWords both = draw_words(0x123456789abcdefu, Draw::entry, index[i], 1 + w / 2);
            ASSERT_EQ(bits[i * words + w], w % 2 ? both.second : both.first) << target << " " << words << " " << i;
          }
      }
  });
}

TYPED_TEST(Signs, MultiplyAsTheirMatrixToTheBit) {
  using T = TypeParam;
  for_each_target([](const std::string& target) {
    for (const std::size_t rows : {1, 9, 64})
      for (const std::size_t inputs : {1, 127, 300})
        for (const std::size_t cols : {16, 65, 1100}) {
          const std::size_t words = sign_words(cols) + 1;
          std::vector<std::uint64_t> bits(inputs * words);
          draw_sign_bits(3, DrawnRows{nullptr, 9, inputs}, 0, words, bits.data());
          const testing::Block<T> x(rows, inputs, 1);
          Matrix<T> r(inputs, cols), expected(rows, cols), found(rows, cols);
          cpu_backend().expand_signs(bits.data(), words, T(0.3), r.view());
          for (const bool add : {false, true}) {
            cpu_backend().multiply(x.dense.view(), MatrixView<const T>(r.view()), T(add ? 1 : 0), expected.view());
            multiply_signs(cpu_backend(), x.dense.view(), {bits.data(), words}, T(0.3), add, found.view());
            for (std::size_t i = 0; i < rows; ++i)
              for (std::size_t j = 0; j < cols; ++j) ASSERT_EQ(found(i, j), expected(i, j)) << target << " " << cols;
          }
        }
  });
}

}  // namespace
}  // namespace bochner
