// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/neighbors/axes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "methods/neighbors/code_search.h"
#include "run/compute.h"
#include "solve/dense.h"

namespace bochner {
namespace {

// Rows whose variances fall along directions that are no inputs.
Matrix<float> turned_rows(std::size_t rows, std::size_t inputs, double fall) {
  std::mt19937 generator(5);
  std::normal_distribution<double> normal;
  Matrix<double> mix(inputs, inputs);
  for (std::size_t i = 0; i < inputs * inputs; ++i) mix.data()[i] = normal(generator);
  Matrix<float> x(rows, inputs);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < inputs; ++k) {
      const double along = normal(generator) * std::pow(fall, double(k));
      for (std::size_t j = 0; j < inputs; ++j) x(i, j) += float(along * mix(k, j));
    }
  return x;
}

// The sum of the variances of all rows along the first directions.
double variance_along(const Matrix<float>& x, const LeadingAxes& axes, const Matrix<double>& directions) {
  double sum = 0;
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (std::size_t k = 0; k < directions.cols(); ++k) {
      double along = 0;
      for (std::size_t j = 0; j < x.cols(); ++j) along += (double(x(i, j)) - axes.mean()[j]) * directions(j, k);
      sum += along * along;
    }
  return sum;
}

double largest_values(const Matrix<float>& x, const LeadingAxes& axes, std::size_t count) {
  Matrix<double> covariance(x.cols(), x.cols());
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (std::size_t a = 0; a < x.cols(); ++a)
      for (std::size_t b = 0; b < x.cols(); ++b)
        covariance(a, b) += (double(x(i, a)) - axes.mean()[a]) * (double(x(i, b)) - axes.mean()[b]);
  const Eigen eigen = largest_eigen(std::move(covariance), count);
  double sum = 0;
  for (const double value : eigen.values) sum += value;
  return sum;
}

TEST(LeadingAxes, AreOrthonormalAndHoldNearlyAllThatEigenvectorsDo) {
  Threads threads(2);
  // Falling slowly, where an axis may be any of several about as wide, and so fast that the last is a millionth.
  for (const auto& [fall, share] : {std::pair(0.97, 0.97), std::pair(0.8, 0.995)}) {
    const Matrix<float> x = turned_rows(900, 70, fall);
    const LeadingAxes axes(workers_on(threads), DenseRows::of(x.view()), 3);
    for (const std::size_t count : {1, 8, 33}) {
      const Matrix<double> q = axes.directions(workers_on(threads), count);
      ASSERT_EQ(q.cols(), count);
      for (std::size_t a = 0; a < count; ++a)
        for (std::size_t b = 0; b <= a; ++b) {
          double product = 0;
          for (std::size_t j = 0; j < q.rows(); ++j) product += q(j, a) * q(j, b);
          EXPECT_NEAR(product, a == b ? 1 : 0, 1e-12);
        }
      EXPECT_GT(variance_along(x, axes, q), share * largest_values(x, axes, count)) << fall << " " << count;
    }
  }
}

TEST(LeadingAxes, AreAsManyAsRowsSpreadAlong) {
  Threads threads(1);
  Matrix<float> line(300, 40), equal(300, 40);
  for (std::size_t i = 0; i < 300; ++i)
    for (std::size_t j = 0; j < 40; ++j) line(i, j) = float(i) * float(j % 3), equal(i, j) = 7;
  EXPECT_EQ(LeadingAxes(workers_on(threads), DenseRows::of(line.view()), 0).directions(workers_on(threads), 5).cols(),
            1u);
  EXPECT_EQ(LeadingAxes(workers_on(threads), DenseRows::of(equal.view()), 0).directions(workers_on(threads), 5).cols(),
            0u);
}

TEST(LeadingAxes, OfWideRowsAreOrthonormalAndLead) {
  Threads threads(2);
  const Matrix<float> narrow = turned_rows(400, 30, 0.8);
  Matrix<float> wide(400, 3000);
  for (std::size_t i = 0; i < 400; ++i)
    for (std::size_t j = 0; j < 30; ++j) wide(i, 100 * j) = narrow(i, j);
  const LeadingAxes axes(workers_on(threads), DenseRows::of(wide.view()), 3),
      few(workers_on(threads), DenseRows::of(narrow.view()), 3);
  EXPECT_GT(variance_along(wide, axes, axes.directions(workers_on(threads), 8)),
            0.995 * largest_values(narrow, few, 8));
}

TEST(ProjectCodes, IsTheProjectionButForRoundingsAndAConstant) {
  std::mt19937 generator(2);
  Matrix<float> x(500, 50);
  for (std::size_t i = 0; i < 500 * 50; ++i) x.data()[i] = float(generator() % 256);
  for (const int count : {1, 2}) {
    Threads threads(count);
    const Workers on = workers_on(threads);
    const std::optional<Codes> codes = Codes::of(on, x.view());
    ASSERT_TRUE(codes);
    const Matrix<double> q = LeadingAxes(on, DenseRows::of(x.view()), 1).directions(on, 20);
    const Matrix<float> coords = project_codes(on, *codes, x.rows(), q.view());
    for (std::size_t i = 1; i < x.rows(); ++i)
      for (std::size_t k = 0; k < q.cols(); ++k) {
        double expected = 0;
        for (std::size_t j = 0; j < x.cols(); ++j) expected += double(x(i, j) - x(0, j)) * q(j, k);
        // Half a step of at most 1 / 127, of differences up to 255 and of either sign: a few of a thousand.
        EXPECT_NEAR(double(coords(i, k) - coords(0, k)), expected, 12) << i << " " << k;
      }
  }
}

}  // namespace
}  // namespace bochner
