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
class Multiply : public ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Multiply, Numbers);

TYPED_TEST(Multiply, AgreesWithReferenceAtOddSizes) {
  using T = TypeParam;
  for_each_target([](const std::string& target) {
    for (const std::size_t m : {1, 5, 17, 64})
      for (const std::size_t k : {1, 15, 16, 65, 1023, 1030})
        for (const std::size_t n : {1, 2, 7, 16, 67})
          for (const T beta : {T(0), T(1)}) {
            const auto a = numbers<T>(m * (k + 3), 1), b = numbers<T>(k * (n + 2), 2), start = numbers<T>(m * n, 3);
            auto expected = start, found = start;
            // Whatever stood in c is not read when beta is 0.
            if (beta == T(0)) found[0] = std::numeric_limits<T>::quiet_NaN();
            const MatrixView<const T> left{a.data(), m, k, k + 3}, right{b.data(), k, n, n + 2};
            reference_backend().multiply(left, right, beta, {expected.data(), m, n, n});
            cpu_backend().multiply(left, right, beta, {found.data(), m, n, n});
            // Sums of k terms of size 1 pass values of sqrt(k) and round k times.
            const double tolerance = std::numeric_limits<T>::epsilon() * (8 + 4 * double(k));
            for (std::size_t i = 0; i < m * n; ++i)
              ASSERT_NEAR(found[i], expected[i], tolerance) << target << " " << m << " x " << k << " x " << n;
          }
  });
}

// The orders that multiply.cc promises, number by number.
template <class T>
T in_order(const T* a, MatrixView<const T> b, std::size_t j, T start) {
  T result = start;
  const std::size_t depth = b.cols < 16 ? 1024 : 128, partial = b.cols < 16 ? 16 : 1;
  for (std::size_t begin = 0; begin < b.rows; begin += depth) {
    T sum[16] = {};
    for (std::size_t k = begin; k < std::min(b.rows, begin + depth); ++k)
      sum[k % partial] = std::fma(a[k], b(k, j), sum[k % partial]);
    for (std::size_t half = partial / 2; half > 0; half /= 2)
      for (std::size_t l = 0; l < half; ++l) sum[l] += sum[l + half];
    result += sum[0];
  }
  return result;
}

// So every machine with a fused multiply-add finds the same prediction.
TYPED_TEST(Multiply, SumsInTheSameOrderOnEveryMachine) {
  using T = TypeParam;
  for_each_target([](const std::string& target) {
    if (!testing::fuses(target)) return;
    for (const std::size_t k : {1, 40, 1024, 2500})
      for (const std::size_t n : {1, 3, 10, 16, 70}) {
        const std::size_t m = 13;
        const auto a = numbers<T>(m * k, 4), b = numbers<T>(k * n, 5), start = numbers<T>(m * n, 6);
        auto found = start;
        cpu_backend().multiply({a.data(), m, k, k}, MatrixView<const T>{b.data(), k, n, n}, T(1),
                               {found.data(), m, n, n});
        for (std::size_t i = 0; i < m; ++i)
          for (std::size_t j = 0; j < n; ++j)
            ASSERT_EQ(found[i * n + j], in_order<T>(&a[i * k], {b.data(), k, n, n}, j, start[i * n + j]))
                << target << " terms " << k << " heads " << n << " row " << i << " head " << j;
      }
  });
}

// A prediction does not depend on the rows that are predicted with it.
TYPED_TEST(Multiply, ARowsResultDoesNotDependOnItsPlace) {
  using T = TypeParam;
  constexpr std::size_t rows = 200;
  for_each_target([&](const std::string& target) {
    for (const std::size_t k : {7, 130, 1500})
      for (const std::size_t n : {1, 2, 5, 15, 16, 65}) {
        const auto a = numbers<T>(rows * k, 7), b = numbers<T>(k * n, 8);
        const MatrixView<const T> all{a.data(), rows, k, k}, heads{b.data(), k, n, n};
        Matrix<T> expected(rows, n), found(rows, n);
        cpu_backend().multiply(all, heads, T(0), expected.view());
        for (const std::size_t count : {1, 2, 63, 64, 65})
          for (const std::size_t begin : {0, 1, 5, 64, 130}) {
            cpu_backend().multiply(all.slice(begin, count), heads, T(0), found.view().slice(0, count));
            for (std::size_t i = 0; i < count; ++i)
              for (std::size_t j = 0; j < n; ++j)
                ASSERT_EQ(found(i, j), expected(begin + i, j))
                    << target << " rows " << count << " from " << begin << " terms " << k << " heads " << n;
          }
      }
  });
}

}  // namespace
}  // namespace bochner
