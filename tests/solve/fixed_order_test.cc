// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "solve/fixed_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "random/draw.h"

namespace bochner {
namespace {

// B B^T for a random n x rank B, row i of B times scale^i.
Matrix<double> random_gram(std::size_t n, std::size_t rank, double scale = 1) {
  Matrix<double> b(n, rank), a(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < rank; ++k) b(i, k) = normal(5, Draw::frequency, i, k) * std::pow(scale, double(i));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < rank; ++k) a(i, j) += b(i, k) * b(j, k);
  return a;
}

double largest(const Matrix<double>& a) {
  double most = 0;
  for (std::size_t i = 0; i < a.rows(); ++i) most = std::max(most, a(i, i));
  return most;
}

TEST(PivotedFactor, GivesBackThePermutedMatrixUpToItsRank) {
  for (const std::size_t n : {1, 2, 47, 48, 49, 96, 130, 260})
    for (const std::size_t rank : {std::size_t(1), n / 2 + 1, n}) {
      const Matrix<double> a = random_gram(n, rank);
      Matrix<double> u = a;
      std::vector<std::size_t> pivots(n);
      const double most = largest(a);
      ASSERT_EQ(fixed_order::pivoted_factor(u.view(), 1e-10 * most, pivots), rank) << n;
      std::vector<std::size_t> sorted = pivots;
      std::sort(sorted.begin(), sorted.end());
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(sorted[i], i);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i; j < n; ++j) {
          double sum = 0;
          for (std::size_t k = 0; k < rank && k <= i; ++k) sum += u(k, i) * u(k, j);
          ASSERT_NEAR(sum, a(pivots[i], pivots[j]), 1e-10 * most) << n << " " << rank << " " << i << " " << j;
        }
    }
}

TEST(PivotedFactor, TakesTheLargestPivotsFirstAndStopsAtTheTolerance) {
  const std::size_t n = 150;
  Matrix<double> a = random_gram(n, n, 0.9);
  std::vector<std::size_t> pivots(n);
  const double tolerance = 1e-6 * largest(a);
  const std::size_t rank = fixed_order::pivoted_factor(a.view(), tolerance, pivots);
  ASSERT_GT(rank, 50u);  // more than one block, fewer than all
  ASSERT_LT(rank, n);
  for (std::size_t k = 0; k < rank; ++k) {
    EXPECT_GT(a(k, k) * a(k, k), tolerance * (1 - 1e-9));
    if (k > 0) {
      EXPECT_LE(a(k, k), a(k - 1, k - 1) * (1 + 1e-9));
    }
  }
}

TEST(PivotedFactor, RefusesAMatrixOfNoNumbers) {
  Matrix<double> a(3, 3);
  std::vector<std::size_t> pivots(3);
  EXPECT_EQ(fixed_order::pivoted_factor(a.view(), 0, pivots), 0u);
  for (std::size_t i = 0; i < 3; ++i) a(i, i) = std::nan("");
  EXPECT_EQ(fixed_order::pivoted_factor(a.view(), 0, pivots), 0u);
}

TEST(InverseLower, TimesTheFactorIsTheIdentity) {
  for (const std::size_t n : {1, 23, 24, 25, 100}) {
    Matrix<double> u = random_gram(n, n);
    for (std::size_t i = 0; i < n; ++i) u(i, i) += double(n);
    std::vector<std::size_t> pivots(n);
    ASSERT_EQ(fixed_order::pivoted_factor(u.view(), 0, pivots), n);
    const Matrix<double> inverse = fixed_order::inverse_lower(u.view());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        if (j > i) {
          ASSERT_EQ(inverse(i, j), 0);
        }
        double sum = 0;
        for (std::size_t k = j; k <= i; ++k) sum += inverse(i, k) * u(j, k);  // L^-1 L, u = L^T
        ASSERT_NEAR(sum, i == j ? 1 : 0, 1e-10) << n << " " << i << " " << j;
      }
  }
}

Matrix<double> random_columns(std::size_t n, std::size_t columns) {
  Matrix<double> w(n, columns);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < columns; ++c) w(i, c) = normal(6, Draw::frequency, i, c);
  return w;
}

TEST(Multiply, AgreesWithPlainLoops) {
  for (const std::size_t n : {1, 7, 130})
    for (const std::size_t columns : {1, 5, 20}) {
      const Matrix<double> a = random_columns(n, 33), b = random_columns(n, columns);
      Matrix<double> transposed(33, columns), product(n, columns);
      fixed_order::transposed_multiply(a.view(), b.view(), transposed.view());
      fixed_order::multiply(a.view(), transposed.view(), product.view());
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t c = 0; c < columns; ++c) {
          double sum = 0;
          for (std::size_t k = 0; k < 33; ++k)
            for (std::size_t r = 0; r < n; ++r) sum += a(i, k) * a(r, k) * b(r, c);
          ASSERT_NEAR(product(i, c), sum, 1e-12 * double(33 * n)) << n << " " << columns;
        }
    }
}

TEST(SolvePositive, SolvesByTheLowerTriangle) {
  for (const std::size_t n : {1, 2, 23, 24, 25, 100})
    for (const std::size_t columns : {1, 20}) {
      Matrix<double> a = random_gram(n, n);
      for (std::size_t i = 0; i < n; ++i) a(i, i) += 1;
      Matrix<double> lower = a;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j) lower(i, j) = std::nan("");
      const Matrix<double> given = random_columns(n, columns);
      Matrix<double> x = given;
      ASSERT_TRUE(fixed_order::solve_positive(lower.view(), x.view()));
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t c = 0; c < columns; ++c) {
          double sum = 0;
          for (std::size_t j = 0; j < n; ++j) sum += a(i, j) * x(j, c);
          ASSERT_NEAR(sum, given(i, c), 1e-9) << n << " " << columns;
        }
    }
}

TEST(SolvePositive, LeavesTheRightSideWhereThereIsNoFactor) {
  Matrix<double> a(2, 2), b(2, 1);
  a(0, 0) = 1;
  a(1, 0) = 2;
  a(1, 1) = 1;
  b(0, 0) = 3;
  EXPECT_FALSE(fixed_order::solve_positive(a.view(), b.view()));
  EXPECT_EQ(b(0, 0), 3);
}

TEST(SolveLower, AgreesWithTheInverse) {
  const std::size_t n = 60, columns = 7;
  Matrix<double> u = random_gram(n, n);
  for (std::size_t i = 0; i < n; ++i) u(i, i) += double(n);
  std::vector<std::size_t> pivots(n);
  ASSERT_EQ(fixed_order::pivoted_factor(u.view(), 0, pivots), n);
  const Matrix<double> inverse = fixed_order::inverse_lower(u.view());
  const Matrix<double> given = random_columns(n, columns);
  Matrix<double> w = given;
  fixed_order::solve_lower(u.view(), w.view());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < columns; ++c) {
      double sum = 0;
      for (std::size_t k = 0; k <= i; ++k) sum += inverse(i, k) * given(k, c);
      ASSERT_NEAR(w(i, c), sum, 1e-10);
    }
}

}  // namespace
}  // namespace bochner
