// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include <limits>

#include "backend/problems.h"

namespace bochner {
namespace {

using testing::for_each_target;
using testing::numbers;

template <class T>
class Cosines : public ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Cosines, Numbers);

TYPED_TEST(Cosines, AgreeWithReferenceAtOddSizes) {
  using T = TypeParam;
  for_each_target([](const std::string& target) {
    for (const std::size_t count : {1, 15, 16, 17, 67})
      for (const bool shifted : {false, true}) {
        const std::size_t rows = 3, outputs = shifted ? count : 2 * count;
        auto y = numbers<T>(rows * count, 1, 3);
        y[0] = std::numeric_limits<T>::max();  // an angle that overflows counts as 0
        auto factor = numbers<T>(count, 2, 2);
        factor[0] = T(4);
        const auto phase = numbers<T>(count, 3);
        Matrix<T> expected(rows, outputs), found(rows, outputs);
        const MatrixView<const T> angles{y.data(), rows, count, count};
        const T* const b = shifted ? phase.data() : nullptr;
        reference_backend().cosines(angles, factor.data(), b, T(0.7), expected.view());
        cpu_backend().cosines(angles, factor.data(), b, T(0.7), found.view());
        for (std::size_t i = 0; i < rows * outputs; ++i)
          ASSERT_NEAR(found.data()[i], expected.data()[i], 200 * std::numeric_limits<T>::epsilon())
              << target << " " << count << " " << i;
      }
  });
}

}  // namespace
}  // namespace bochner
