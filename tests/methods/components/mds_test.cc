// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/mds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "bochner/error.h"
#include "bochner/transform.h"

namespace bochner {
namespace {

double distance(const Matrix<double>& x, std::size_t a, std::size_t b) {
  double sum = 0;
  for (std::size_t j = 0; j < x.cols(); ++j) sum += (x(a, j) - x(b, j)) * (x(a, j) - x(b, j));
  return std::sqrt(sum);
}

Matrix<double> points(std::size_t rows, std::size_t inputs) {
  std::mt19937_64 draw(2);
  std::normal_distribution<double> normal;
  Matrix<double> x(rows, inputs);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < inputs; ++j) x(i, j) = 1e3 + normal(draw) * double(j + 1);
  return x;
}

// Distances of all rows to the first L.
Matrix<double> distances(const Matrix<double>& x, std::size_t L) {
  Matrix<double> d(x.rows(), L);
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (std::size_t j = 0; j < L; ++j) d(i, j) = distance(x, i, j);
  return d;
}

Model scaled(const Matrix<double>& d, std::size_t rank, int threads = 1) {
  Schema schema;
  schema.inputs = d.cols();
  const auto rows = memory_rows<double>(RowBlock<double>::dense(d.view()), schema);
  return mds(*rows, {.rank = rank, .execution = {.threads = threads}});
}

TEST(Mds, KeepsEuclideanDistancesExactly) {
  const Matrix<double> x = points(70, 3);
  for (const std::size_t L : {70u, 12u}) {  // classical, and by landmarks
    const Matrix<double> d = distances(x, L);
    const Model model = scaled(d, 3);
    const Matrix<double> y = transform<double>(model.transform_map(), d.view());
    for (std::size_t i = 0; i < 70; ++i)
      for (std::size_t j = 0; j < i; ++j) EXPECT_NEAR(distance(y, i, j), distance(x, i, j), 1e-6) << L;
    double shares = 0;
    for (const double share : figure_of(*model.head(), "shares")) shares += share;
    EXPECT_NEAR(shares, 1, 1e-9);
  }
}

TEST(Mds, HasTheBytesOfOneThreadAndPutsNoughtsBeyondTheDimensions) {
  const Matrix<double> x = points(40, 2), d = distances(x, 40);
  const Matrix<double> one = transform<double>(scaled(d, 4).transform_map(), d.view());
  EXPECT_EQ(one, transform<double>(scaled(d, 4, 3).transform_map(), d.view()));
  for (std::size_t i = 0; i < 40; ++i) EXPECT_NEAR(std::fabs(one(i, 2)) + std::fabs(one(i, 3)), 0, 1e-9);
}

TEST(Mds, RefusesWhatAreNoDistances) {
  const Matrix<double> x = points(10, 2);
  Matrix<double> d = distances(x, 10);
  EXPECT_THROW(scaled(d, 0), std::invalid_argument);
  EXPECT_THROW(scaled(d, 10), std::invalid_argument);
  d(3, 4) += 1;
  EXPECT_THROW(scaled(d, 2), Error);
  d(3, 4) = d(4, 3) = -1;
  EXPECT_THROW(scaled(d, 2), Error);
  EXPECT_THROW(scaled(points(5, 9), 2), Error);  // fewer rows than columns
  d = distances(x, 6);
  d(9, 2) = -1;  // behind the landmarks
  EXPECT_THROW(scaled(d, 2), Error);
  d = distances(x, 10);
  for (std::size_t i = 0; i < 100; ++i) d.data()[i] *= 1e-200;
  EXPECT_THROW(scaled(d, 2), Error);
}

}  // namespace
}  // namespace bochner
