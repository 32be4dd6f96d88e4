// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// The sums of low-rank factors against plain loops in double.

#include <gtest/gtest.h>

#include <cmath>

#include "folds/binned_sum.h"
#include "folds/covariance.h"
#include "folds/row_moments.h"
#include "methods/components/sketch.h"
#include "random/draw.h"
#include "run/compute.h"

namespace bochner {
namespace {

constexpr std::size_t kRows = 2500, kCols = 67, kDirections = 5;

// The same rows dense and as CSR, a third of them zeros.
struct Problem {
  std::vector<float> dense = std::vector<float>(kRows * kCols);
  std::vector<std::size_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  Matrix<double> q = Matrix<double>(kCols, kDirections);
  std::vector<double> mean = std::vector<double>(kCols);
  double total = 0;

  Problem() {
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::uint32_t j = 0; j < kCols; ++j) {
        if (uniform(1, Draw::frequency, i, j) < 0.33) continue;
        const auto value = float(1.5 + normal(2, Draw::frequency, i, j));
        dense[i * kCols + j] = value;
        columns.push_back(j);
        values.push_back(value);
        mean[j] += double(value) / double(kRows);
        total += double(value) * double(value);
      }
      offsets.push_back(values.size());
    }
    for (std::size_t k = 0; k < kDirections; ++k) {
      double length = 0;
      for (std::size_t j = 0; j < kCols; ++j) {
        q(j, k) = normal(3, Draw::frequency, j, k);
        length += q(j, k) * q(j, k);
      }
      for (std::size_t j = 0; j < kCols; ++j) q(j, k) /= std::sqrt(length);
    }
  }
  RowBlock<float> rows(bool sparse) const {
    if (!sparse) return RowBlock<float>::dense({dense.data(), kRows, kCols, kCols});
    RowBlock<float> block{.rows = kRows, .cols = kCols, .values = values.data()};
    block.offsets = offsets.data();
    block.columns = columns.data();
    return block;
  }
  double centered(std::size_t i, std::size_t j) const { return double(dense[i * kCols + j]) - mean[j]; }
};

TEST(BinnedSum, AddsNumbersOfAllSizesInAnyOrder) {
  const double numbers[] = {1e300, -1e300, 1, 0x1p-1074, -3e-5, 1e17, 12345.678, -1e17};
  BinnedSum forward, backward, left, right;
  for (int i = 0; i < 8; ++i) forward.add(numbers[i]);
  for (int i = 7; i >= 0; --i) backward.add(numbers[i]);
  for (int i = 0; i < 8; ++i) (i % 3 ? left : right).add(numbers[i]);
  right.merge(left);
  EXPECT_EQ(forward, backward);
  EXPECT_EQ(forward, right);
  BinnedSum small;
  for (int i = 2; i < 8; ++i) small.add(numbers[i]);
  EXPECT_DOUBLE_EQ(small.value(), 1 - 3e-5 + 12345.678);
  EXPECT_EQ(BinnedSum().value(), 0);
}

TEST(RowMoments, AreThoseOfPlainSums) {
  const Problem p;
  Threads threads(2);
  for (const bool sparse : {false, true}) {
    RowMoments moments(kCols);
    moments.add(workers_on(threads), p.rows(sparse));
    EXPECT_EQ(moments.rows(), kRows);
    EXPECT_NEAR(moments.total(), p.total, 1e-10 * p.total);
    double centered = 0;
    float largest = 0;
    for (std::size_t i = 0; i < kRows; ++i)
      for (std::size_t j = 0; j < kCols; ++j) {
        centered += p.centered(i, j) * p.centered(i, j);
        largest = std::max(largest, std::abs(p.dense[i * kCols + j]));
      }
    EXPECT_NEAR(moments.centered(), centered, 1e-9 * centered);
    EXPECT_EQ(moments.largest(), double(largest));
    for (std::size_t j = 0; j < kCols; ++j) EXPECT_NEAR(moments.mean()[j], p.mean[j], 1e-12);
  }
}

TEST(SketchFold, IsTheCovarianceTimesItsBasis) {
  const Problem p;
  Threads threads(2);
  Matrix<double> u(kRows, kDirections), w(kCols, kDirections), h(kDirections, kDirections);
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t k = 0; k < kDirections; ++k)
      for (std::size_t j = 0; j < kCols; ++j) u(i, k) += p.centered(i, j) * p.q(j, k);
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t k = 0; k < kDirections; ++k) {
      for (std::size_t j = 0; j < kCols; ++j) w(j, k) += p.centered(i, j) * u(i, k);
      for (std::size_t m = 0; m < kDirections; ++m) h(m, k) += u(i, m) * u(i, k);
    }
  for (const bool sparse : {false, true})
    for (const bool wide : {false, true}) {
      SketchFold fold(std::make_shared<const SketchBasis>(
          SketchBasis{.cols = kCols, .q = p.q, .mean = p.mean, .total = p.total, .sparse = sparse, .wide = wide}));
      fold.add(workers_on(threads), p.rows(sparse));
      const Matrix<double> image = fold.image(threads), ritz = fold.ritz();
      const double tolerance = (wide && !sparse ? 1e-12 : 1e-6) * p.total;
      for (std::size_t k = 0; k < kDirections; ++k) {
        for (std::size_t j = 0; j < kCols; ++j) EXPECT_NEAR(image(j, k), w(j, k), tolerance) << sparse << wide;
        for (std::size_t m = 0; m < kDirections; ++m) EXPECT_NEAR(ritz(m, k), h(m, k), tolerance) << sparse << wide;
      }
    }
}

TEST(SketchFold, TakesCoordinatesThatAreGiven) {
  const Problem p;
  Threads threads(2);
  Matrix<double> u(kRows, 3), w(kCols, 3);
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      u(i, k) = normal(4, Draw::frequency, i, k) / std::sqrt(double(kRows));
      for (std::size_t j = 0; j < kCols; ++j) w(j, k) += p.centered(i, j) * u(i, k);
    }
  for (const bool sparse : {false, true}) {
    SketchFold fold(std::make_shared<const SketchBasis>(SketchBasis{
        .cols = kCols, .mean = p.mean, .total = p.total, .sparse = sparse, .wide = true, .coordinates = u}));
    fold.add(workers_on(threads), p.rows(sparse));
    const Matrix<double> image = fold.image(threads);
    for (std::size_t j = 0; j < kCols; ++j)
      for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(image(j, k), w(j, k), 1e-8) << sparse;
  }
}

TEST(CovarianceFold, IsTheSumOfOuterProducts) {
  const Problem p;
  Threads threads(2);
  Matrix<double> c(kCols, kCols);
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < kCols; ++j)
      for (std::size_t k = 0; k < kCols; ++k) c(j, k) += p.centered(i, j) * p.centered(i, k);
  for (const bool sparse : {false, true}) {
    CovarianceFold fold(kCols, p.mean, 10, true);
    fold.add(workers_on(threads), p.rows(sparse));
    const Matrix<double> found = fold.matrix(threads);
    for (std::size_t j = 0; j < kCols; ++j)
      for (std::size_t k = 0; k < kCols; ++k) EXPECT_NEAR(found(j, k), c(j, k), 1e-6) << sparse;
  }
}

}  // namespace
}  // namespace bochner
