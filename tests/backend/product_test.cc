// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include <limits>

#include "backend/cpu/blas.h"
#include "backend/problems.h"

namespace bochner {
namespace {

using testing::for_each_target;
using testing::numbers;

template <class T>
class Product : public ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Product, Numbers);

TYPED_TEST(Product, AgreesWithReferenceAtOddSizes) {
  using T = TypeParam;
  const double per_unit = 0x1p40;
  for_each_target([&](const std::string& target) {
    for (const std::size_t rows : {1, 15, 65, 1024})
      for (const std::size_t m : {1, 15, 16, 17, 63, 64, 65})
        for (const std::size_t n : {1, 7, 17, 64, 65}) {
          const std::size_t stride = m + n + 3;
          const auto values = numbers<T>(rows * stride, 1);
          const MatrixView<const T> a{values.data(), rows, m, stride}, b{values.data() + m, rows, n, stride};
          Matrix<std::int64_t> expected(m, n + 1), found(m, n + 1);
          for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j <= n; ++j) expected(i, j) = found(i, j) = std::int64_t(i) - 3 * std::int64_t(j);
          reference_backend().add_product(a, b, per_unit, {expected.data(), m, n, n + 1});
          cpu_backend().add_product(a, b, per_unit, {found.data(), m, n, n + 1});
          // A sum of `rows` terms of size 1 passes values of sqrt(rows) and rounds `rows` times.
          const double tolerance = per_unit * std::numeric_limits<T>::epsilon() * 4 * double(rows) + 1;
          for (std::size_t i = 0; i < m; ++i) {
            for (std::size_t j = 0; j < n; ++j)
              ASSERT_NEAR(double(found(i, j)), double(expected(i, j)), tolerance)
                  << target << " rows " << rows << " m " << m << " n " << n;
            ASSERT_EQ(found(i, n), expected(i, n));
          }
        }
  });
}

// Row by row in depths of 128, so every machine with a fused multiply-add finds the same sums.
TYPED_TEST(Product, SumsInTheSameOrderOnEveryMachine) {
  using T = TypeParam;
  const double per_unit = 0x1p40;
  for_each_target([&](const std::string& target) {
    if (!testing::fuses(target)) return;
    for (const std::size_t rows : {1, 100, 300})
      for (const std::size_t m : {5, 65})
        for (const std::size_t n : {3, 49}) {
          const auto a = numbers<T>(rows * m, 11), b = numbers<T>(rows * n, 12);
          Matrix<std::int64_t> found(m, n);
          cpu_backend().add_product({a.data(), rows, m, m}, MatrixView<const T>{b.data(), rows, n, n}, per_unit,
                                    found.view());
          for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < n; ++j) {
              T product = 0;
              for (std::size_t begin = 0; begin < rows; begin += 128) {
                T sum = 0;
                for (std::size_t k = begin; k < std::min<std::size_t>(rows, begin + 128); ++k)
                  sum = std::fma(a[k * m + i], b[k * n + j], sum);
                product = begin == 0 ? sum : product + sum;
              }
              ASSERT_EQ(found(i, j), std::llrint(double(product) * per_unit)) << target << " " << rows << " " << i;
            }
        }
  });
}

// The diagonal tiles of a Gram matrix.
TYPED_TEST(Product, OfABlockWithItselfHasBothHalves) {
  using T = TypeParam;
  for (const std::size_t n : {1, 8, 12, 13, 24, 65, 250})
    for (const std::size_t rows : {1, 511, 512, 513, 1024}) {
      const auto values = numbers<T>(rows * n, 5);
      const MatrixView<const T> a{values.data(), rows, n, n};
      Matrix<std::int64_t> expected(n, n), found(n, n);
      reference_backend().add_product(a, a, 0x1p30, expected.view());
      cpu_backend().add_product(a, a, 0x1p30, found.view());
      // The diagonal sums up to `rows`, rounding on the way as a random walk does.
      const double tolerance = 0x1p30 * std::numeric_limits<T>::epsilon() * (8 + std::pow(double(rows), 1.5)) + 1;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          ASSERT_NEAR(double(found(i, j)), double(expected(i, j)), tolerance) << "n " << n << " rows " << rows;
        }
    }
}

// What is exact in T is exact in the sum: halves round to even, large sums keep their last bit.
TYPED_TEST(Product, RoundsOnceToTheNearest) {
  using T = TypeParam;
  const std::vector<T> a = {1}, b = {T(0.5), T(1.5), T(-0.5), T(2.25), T(-2.75), T(3)};
  for_each_target([&](const std::string& target) {
    Matrix<std::int64_t> sum(1, 6);
    sum(0, 5) = (std::int64_t(1) << 60) + 1;
    cpu_backend().add_product({a.data(), 1, 1, 1}, MatrixView<const T>{b.data(), 1, 6, 6}, 1.0, sum.view());
    const std::vector<std::int64_t> expected = {0, 2, 0, 2, -3, (std::int64_t(1) << 60) + 4};
    for (std::size_t j = 0; j < 6; ++j) EXPECT_EQ(sum(0, j), expected[j]) << target << " " << j;
    cpu_backend().add_product({a.data(), 1, 1, 1}, MatrixView<const T>{b.data() + 5, 1, 1, 1}, 0x1p58,
                              {sum.data(), 1, 1, 1});
    EXPECT_EQ(sum(0, 0), 3 * (std::int64_t(1) << 58)) << target;
  });
}

// A pass adds the same chunks in any order and on any thread.
TYPED_TEST(Product, SumsOfTheSameChunksAreEqualInAnyOrder) {
  using T = TypeParam;
  const auto values = numbers<T>(300 * 33, 2);
  const auto chunk = [&](std::size_t c) { return MatrixView<const T>{values.data() + c * 100 * 33, 100, 33, 33}; };
  Matrix<std::int64_t> forth(33, 33), back(33, 33);
  for (const std::size_t c : {0, 1, 2}) cpu_backend().add_product(chunk(c), chunk(c), 0x1p30, forth.view());
  for (const std::size_t c : {2, 1, 0}) cpu_backend().add_product(chunk(c), chunk(c), 0x1p30, back.view());
  EXPECT_EQ(forth, back);
}

TEST(Product, InDoubleAgreesWithReference) {
  for (const std::size_t rows : {1, 65, 1024})
    for (const std::size_t m : {1, 17, 64})
      for (const std::size_t n : {1, 16, 63}) {
        const auto a = numbers<float>(rows * m, 1), b = numbers<float>(rows * n, 2);
        Matrix<double> expected(m, n), found(m, n);
        expected(0, 0) = found(0, 0) = 1e9;
        const MatrixView<const float> left{a.data(), rows, m, m}, right{b.data(), rows, n, n};
        reference_backend().add_product(left, right, expected.view());
        cpu_backend().add_product(left, right, found.view());
        for (std::size_t i = 0; i < m * n; ++i)
          ASSERT_NEAR(found.data()[i], expected.data()[i], 1e-6 * std::sqrt(double(rows)) * 8);
      }
}

TEST(Blas, CholeskySolvesAndNamesTheColumnThatFails) {
  const std::size_t n = 40;
  const auto values = numbers<double>(n * 2 * n, 4);
  Matrix<double> gram(n, n), factor, product(n, n);
  blas::syrk(blas::Op::plain, 1, {values.data(), n, 2 * n, 2 * n}, 0, gram.view());
  factor = gram;
  ASSERT_EQ(blas::potrf(factor.view()), 0u);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) factor(i, j) = 0;
  blas::gemm(1, {blas::Op::plain, factor.view()}, {blas::Op::transposed, factor.view()}, 0, product.view());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) EXPECT_NEAR(product(i, j), gram(i, j), 1e-11);

  // L^-1 (L L^T) L^-T = I
  blas::trsm(blas::Side::left, blas::Op::plain, 1, factor.view(), product.view());
  blas::trsm(blas::Side::right, blas::Op::transposed, 1, factor.view(), product.view());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) EXPECT_NEAR(product(i, j), i == j, 1e-11);

  gram(7, 7) = -1;
  EXPECT_EQ(blas::potrf(gram.view()), 8u);
}

}  // namespace
}  // namespace bochner
