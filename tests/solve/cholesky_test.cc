// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "solve/cholesky.h"

#include <gtest/gtest.h>

#include <cmath>

#include "random/draw.h"

namespace bochner {
namespace {

// B B^T for a random square B: positive definite.
TiledSymmetric<double> random_matrix(std::size_t n, std::size_t tile) {
  TiledSymmetric<double> a(n, tile);
  Matrix<double> b(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) b(i, j) = normal(5, Draw::frequency, i, j);
  for (std::size_t t = 0; t < a.tile_count(); ++t) {
    const auto [I, J] = tile_index(t);
    const MatrixView<double> block = a.block(I, J);
    for (std::size_t i = 0; i < block.rows; ++i)
      for (std::size_t j = 0; j < block.cols; ++j)
        for (std::size_t k = 0; k < n; ++k) block(i, j) += b(I * tile + i, k) * b(J * tile + j, k);
  }
  return a;
}

class BothCholesky : public ::testing::TestWithParam<Cholesky::Arithmetic> {};
INSTANTIATE_TEST_SUITE_P(Cholesky, BothCholesky,
                         ::testing::Values(Cholesky::Arithmetic::blas, Cholesky::Arithmetic::same_bits),
                         [](const auto& info) {
                           return info.param == Cholesky::Arithmetic::blas ? "Blas" : "SameBits";
                         });

double element(const TiledSymmetric<double>& a, std::size_t i, std::size_t j) {
  return i >= j ? a.at(i, j) : a.at(j, i);
}

TEST_P(BothCholesky, SolvesShiftedSystemsOfAnySize) {
  Threads threads(2);
  for (std::size_t n : {1, 15, 16, 17, 64, 100})
    for (const std::size_t columns : {2, 4, 37}) {  // alone, together, in groups
      const TiledSymmetric<double> a = random_matrix(n, n > 64 ? 30 : 16);
      const Cholesky factor(a, 3.0, threads, GetParam());
      ASSERT_FALSE(factor.failed_column());
      Matrix<double> x(n, columns), b(n, columns);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < columns; ++k) x(i, k) = b(i, k) = normal(6, Draw::frequency, i, k);
      factor.solve(x.view());
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < columns; ++k) {
          double product = 3.0 * x(i, k);
          for (std::size_t j = 0; j < n; ++j) product += element(a, i, j) * x(j, k);
          EXPECT_NEAR(product, b(i, k), 1e-8) << n;
        }
    }
}

TEST_P(BothCholesky, SolvedRowsHaveTheNormOfTheInverse) {
  // |L^-1 x|^2 = x^T A^-1 x
  Threads threads(1);
  const std::size_t n = 50;
  const TiledSymmetric<double> a = random_matrix(n, 16);
  const Cholesky factor(a, 1.0, threads, GetParam());
  Matrix<double> row(1, n), column(n, 1);
  for (std::size_t j = 0; j < n; ++j) row(0, j) = column(j, 0) = normal(7, Draw::frequency, j);
  const Matrix<double> x = column;
  factor.solve(column.view());
  factor.solve_lower_rows(row.view());
  double norm = 0, form = 0;
  for (std::size_t j = 0; j < n; ++j) {
    norm += row(0, j) * row(0, j);
    form += x(j, 0) * column(j, 0);
  }
  EXPECT_NEAR(norm, form, 1e-10 * std::abs(form));
}

TEST_P(BothCholesky, SquaresOfRowsAreThoseOfSolvedRows) {
  Threads threads(1);
  const std::size_t n = 50;
  const Cholesky factor(random_matrix(n, 16), 1.0, threads, GetParam());
  Matrix<double> rows(5, n);
  for (std::size_t i = 0; i < rows.rows(); ++i)
    for (std::size_t j = 0; j < n; ++j) rows(i, j) = normal(9, Draw::frequency, i, j);
  std::vector<double> sums(rows.rows(), 2.0), expected = sums;
  factor.add_squares(rows.view(), sums);
  factor.solve_lower_rows(rows.view());
  for (std::size_t i = 0; i < rows.rows(); ++i)
    for (std::size_t j = 0; j < n; ++j) expected[i] += rows(i, j) * rows(i, j);
  EXPECT_EQ(sums, expected);  // the order of additions is the same
}

TEST_P(BothCholesky, FactorIsTheSameToTheBitForAnyThreadCount) {
  const TiledSymmetric<double> a = random_matrix(150, 32);
  Threads one(1);
  const Cholesky expected(a, 0.5, one, GetParam());
  for (int count : {2, 3, 7}) {
    Threads threads(count);
    EXPECT_EQ(expected.factor(), Cholesky(a, 0.5, threads, GetParam()).factor());
  }
}

TEST_P(BothCholesky, NamesTheColumnWhereItFails) {
  Threads threads(2);
  TiledSymmetric<double> a(40, 16);
  for (std::size_t i = 0; i < 40; ++i) a.at(i, i) = i == 29 ? -1.0 : 1.0;
  EXPECT_EQ(Cholesky(a, 0, threads, GetParam()).failed_column(), 29u);
}

// Larger than a step of the elimination and ragged; tiles hold transposes.
TEST(CholeskyOfSameBits, IsTheFactorOfBlasInAnotherOrder) {
  Threads threads(2);
  const TiledSymmetric<double> a = random_matrix(230, 120);
  const Cholesky blas(a, 1.0, threads), same(a, 1.0, threads, Cholesky::Arithmetic::same_bits);
  for (std::size_t i = 0; i < 230; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      ASSERT_NEAR(same.factor().block(i / 120, j / 120).data[j % 120 * 120 + i % 120], blas.factor().at(i, j), 1e-9);
}

}  // namespace
}  // namespace bochner
