// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "solve/refined_cholesky.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "random/draw.h"

namespace bochner {
namespace {

constexpr std::size_t kTile = 48;

// scale exp(-|x_i - x_j|^exponent) of random x in three dimensions: rough for 1, all but singular for 2.
TiledSymmetric<double> kernel_matrix(std::size_t n, double exponent, double scale = 1) {
  TiledSymmetric<double> a(n, kTile);
  for (std::size_t t = 0; t < a.tile_count(); ++t) {
    const auto [I, J] = tile_index(t);
    const MatrixView<double> block = a.block(I, J);
    for (std::size_t i = 0; i < block.rows; ++i)
      for (std::size_t j = 0; j < block.cols; ++j) {
        double distance = 0;
        for (std::uint64_t k = 0; k < 3; ++k) {
          const double difference =
              normal(5, Draw::frequency, I * kTile + i, k) - normal(5, Draw::frequency, J * kTile + j, k);
          distance += difference * difference;
        }
        block(i, j) = scale * std::exp(-std::pow(distance, exponent / 2));
      }
  }
  return a;
}

Matrix<double> random_columns(std::size_t n, std::size_t columns, double scale = 1) {
  Matrix<double> b(n, columns);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < columns; ++k) b(i, k) = scale * normal(6, Draw::frequency, i, k);
  return b;
}

// |b - (a + shift I) x| / |b|, the largest of all columns.
double left_over(const TiledSymmetric<double>& a, double shift, const Matrix<double>& b, const Matrix<double>& x) {
  double most = 0;
  for (std::size_t k = 0; k < b.cols(); ++k) {
    double left = 0, norm = 0;
    for (std::size_t i = 0; i < b.rows(); ++i) {
      double r = b(i, k) - shift * x(i, k);
      for (std::size_t j = 0; j < b.rows(); ++j) r -= (i >= j ? a.at(i, j) : a.at(j, i)) * x(j, k);
      left += r * r;
      norm += b(i, k) * b(i, k);
    }
    most = std::max(most, std::sqrt(left / norm));
  }
  return most;
}

TEST(RefinedCholesky, LeavesOverNoMoreThanIsAskedOfAnySize) {
  Threads threads(2);
  for (const std::size_t n : {1, 47, 48, 49, 200})
    for (const std::size_t columns : {1, 5, 37})
      for (const double wanted : {1e-3, 1e-7, 1e-12}) {
        const TiledSymmetric<double> a = kernel_matrix(n, 1);
        RefinedCholesky factor(a, 1e-3, wanted, threads);
        const Matrix<double> b = random_columns(n, columns);
        Matrix<double> x = b;
        factor.solve(x.view(), threads);
        EXPECT_TRUE(factor.in_float()) << n;
        EXPECT_LE(left_over(a, 1e-3, b, x), 2 * wanted) << n << " " << columns;  // the last correction is foretold
      }
}

TEST(RefinedCholesky, TakesDoubleWhereFloatHasTooFewDigits) {
  Threads threads(2);
  const TiledSymmetric<double> a = kernel_matrix(300, 2);
  RefinedCholesky factor(a, 1e-9, 1e-7, threads);
  EXPECT_FALSE(factor.in_float());
  ASSERT_FALSE(factor.failed_column());
  const Matrix<double> b = random_columns(300, 2);
  Matrix<double> x = b;
  factor.solve(x.view(), threads);
  EXPECT_LE(left_over(a, 1e-9, b, x), 1e-6);
}

TEST(RefinedCholesky, HearsNoUnit) {
  Threads threads(1);
  for (const double scale : {1e-60, 1e60}) {
    const TiledSymmetric<double> a = kernel_matrix(100, 1, scale);
    RefinedCholesky factor(a, 1e-3 * scale, 1e-8, threads);
    EXPECT_TRUE(factor.in_float()) << scale;
    const Matrix<double> b = random_columns(100, 3, 1 / scale);
    Matrix<double> x = b;
    factor.solve(x.view(), threads);
    EXPECT_LE(left_over(a, 1e-3 * scale, b, x), 2e-8) << scale;
  }
}

TEST(RefinedCholesky, SolvesForNothing) {
  Threads threads(1);
  RefinedCholesky factor(kernel_matrix(60, 1), 1e-3, 1e-8, threads);
  Matrix<double> x(60, 2);
  factor.solve(x.view(), threads);
  for (std::size_t i = 0; i < 60; ++i) EXPECT_EQ(x(i, 0), 0);
}

TEST(RefinedCholesky, TellsWhereTheMatrixIsNotPositive) {
  Threads threads(1);
  TiledSymmetric<double> a = kernel_matrix(60, 1);
  a.at(50, 50) = -1;
  EXPECT_EQ(RefinedCholesky(a, 1e-3, 1e-8, threads).failed_column(), 50u);
  a.at(50, 50) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(RefinedCholesky(a, 1e-3, 1e-8, threads).failed_column(), 50u);
}

TEST(RefinedCholesky, KeepsItsBitsForAnyThreads) {
  const auto solved = [](int count) {
    Threads threads(count);
    RefinedCholesky factor(kernel_matrix(200, 1), 1e-4, 1e-9, threads);
    Matrix<double> x = random_columns(200, 20);
    factor.solve(x.view(), threads);
    return x;
  };
  const Matrix<double> one = solved(1), three = solved(3);
  for (std::size_t i = 0; i < 200 * 20; ++i) ASSERT_EQ(one.data()[i], three.data()[i]);
}

}  // namespace
}  // namespace bochner
